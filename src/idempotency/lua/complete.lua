-- complete: the event's row holds an outcome: PROCESSING becomes SUCCESS.
--
-- KEYS[1]  the event
-- ARGV[1]  token of the lease
-- ARGV[2]  life of SUCCESS in milliseconds
-- Returns  1 done, 0 lost (the key holds something else, or nothing)
-- Caller   RedisIdempotencyStore.complete, after the commit

local known = redis.call('GET', KEYS[1]) or ''

-- An expired lease that nobody took over will do: the outcome is a fact by now, and refusing it would only have the event
-- looked at once more. SUCCESS by this token is a repeat whose first reply was lost.
local holder = string.match(known, '^P%d%d%d+:%d+:(.*)$')
if holder ~= ARGV[1] and known ~= 'S' .. ARGV[1] then
  return 0
end

-- The token stays in the value for that repeat's sake. It is what most keys hold, so there is nothing else in it.
redis.call('SET', KEYS[1], 'S' .. ARGV[1], 'PX', ARGV[2])
return 1
