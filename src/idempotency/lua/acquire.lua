-- acquire: a worker takes the lease on an event, unless another's lease runs or the event has its outcome.
--
-- KEYS[1]  the event
-- ARGV[1]  token of this lease
-- ARGV[2]  life of the lease in milliseconds
-- ARGV[3]  how long the key outlives the lease, in milliseconds
-- Returns  0 acquired, -1 acquired after an unfinished start, -2 success,
--          more than 0: another's lease runs for so many milliseconds
-- Caller   RedisIdempotencyStore.acquire

local known = redis.call('GET', KEYS[1]) or ''
if string.sub(known, 1, 1) == 'S' then
  return -2
end

-- The lease's end stands in the value and not in the key's expiry: the key has to outlive it, so that a start that never
-- ended is still known to whoever comes next. The time is this server's, the only clock that all workers share.
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local started, earlier, leaseUntil, holder = string.match(known, '^P(%d)(%d)(%d+):%d+:(.*)$')
local remaining = leaseUntil and leaseUntil - now or 0

if remaining > 0 and holder ~= ARGV[1] then
  return remaining
end

-- A repeat within the lease asks about those before it: its own start is no news to it, and both marks stay. Otherwise an
-- unfinished start is handed down, from holder to holder until one of them completes or releases: the next one may die
-- as well before it has written the row that records it.
if remaining <= 0 then
  earlier = started == '1' and '1' or earlier or '0'
  started = '0'
end

local value = 'P' .. started .. earlier .. string.format('%.0f', now + ARGV[2]) .. ':' .. ARGV[3] .. ':' .. ARGV[1]
redis.call('SET', KEYS[1], value, 'PX', ARGV[2] + ARGV[3])
return earlier == '1' and -1 or 0
