-- confirm: the gateway that claimed an event has made it durable: RECEIVED becomes QUEUED.
--
-- KEYS[1]  the event
-- ARGV[1]  token of the claim
-- ARGV[2]  life of QUEUED in milliseconds
-- Returns  1 done, 0 lost (the key holds something else, or nothing)
-- Caller   RedisIdempotencyStore.confirm, off the answer's path

local known = redis.call('GET', KEYS[1])

-- QUEUED by this token is a repeat whose first reply was lost. On none nothing happens: a worker may have released the
-- event since, and QUEUED would be a step back.
if known ~= 'R' .. ARGV[1] and known ~= 'Q' .. ARGV[1] then
  return 0
end

redis.call('SET', KEYS[1], 'Q' .. ARGV[1], 'PX', ARGV[2])
return 1
