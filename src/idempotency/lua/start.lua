-- start: notes that the holder of the lease begins its handler, in case the handler kills the worker.
--
-- KEYS[1]  the event
-- ARGV[1]  token of the lease
-- Returns  1 done, 0 lost (another holds the event, nobody does, or the lease has expired)
-- Caller   RedisIdempotencyStore.start, just before the handler

local known = redis.call('GET', KEYS[1]) or ''
local leaseUntil, holder = string.match(known, '^P%d%d(%d+):%d+:(.*)$')
if holder ~= ARGV[1] then
  return 0
end

-- Refused on an expired lease: another worker may take the event at any moment, so no handler may begin.
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
if leaseUntil - now <= 0 then
  return 0
end

-- The second character is the mark. Written in place, it leaves the key's expiry alone.
redis.call('SETRANGE', KEYS[1], 1, '1')
return 1
