-- renew: the watchdog extends a lease that still runs.
--
-- KEYS[1]  the event
-- ARGV[1]  token of the lease
-- ARGV[2]  life of the lease from now, in milliseconds
-- Returns  1 done, 0 lost (another holds the event, nobody does, or the lease has expired)
-- Caller   RedisIdempotencyStore.renew

local known = redis.call('GET', KEYS[1]) or ''
local marks, leaseUntil, startMemory, holder = string.match(known, '^P(%d%d)(%d+):(%d+):(.*)$')
if holder ~= ARGV[1] then
  return 0
end

-- An expired lease is not revived, even if nobody has taken it yet: its holder has been told that it is alone only until
-- that moment.
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
if leaseUntil - now <= 0 then
  return 0
end

-- The key goes on outliving the lease by what acquire asked for.
local value = 'P' .. marks .. string.format('%.0f', now + ARGV[2]) .. ':' .. startMemory .. ':' .. ARGV[1]
redis.call('SET', KEYS[1], value, 'PX', ARGV[2] + startMemory)
return 1
