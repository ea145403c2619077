-- The rate limiter as one script: a decision is atomic whichever replica asks, and by the server's clock.
--
-- KEYS[1] is the subject's key. ARGV holds the rule's `allowed`, its `windowSeconds`, `consume` or `peek`, and, in tests,
-- the time in place of the server's, in microseconds since 1970. Returns four integers: whether admitted (1 or 0), how many
-- remain, the seconds until the oldest admission leaves the window, and those until one request would be admitted.
--
-- A key holds one binary string: a header, up to 12 counts that are no longer exact, and the history. Up to the limit of
-- 1,000 that is the last 1,000 admissions, 6 bytes each; above it, sub-windows of 11 bytes each, a count and the time of its
-- last admission. A time that is not exact is later than the real one, never earlier: a request may be refused that could
-- pass, but none passes that must be refused. In bytes, big-endian:
--
--     header   expires 8, longest window 4, shift 8, kind 1, last admission 8, olders 1, since 8, window 4, total 8, entries 2
--     older    time 6, count 5
--     entry    time 6 (exact) or time 6, count 5 (sub-window); behind exact ones, room for more
--
-- Times of 6 bytes are microseconds of the subject's clock modulo 2^48, nearly nine years; no entry that counts is older
-- than 31 days. The subject's clock is the server's plus `shift`, which grows by as much as the server's clock is set back:
-- a subject's time never runs backwards and never stops.
--
-- An exact history has room for 128 entries beyond the 1,000, so that it is compacted once in 128 requests. Any other
-- request overwrites the header and one entry in place: 60 bytes, for replicas and the append-only file too.

local SECOND, WRAP, LONGEST = 1000000, 281474976710656, 2678400000000
-- Up to a limit of EXACT_MAX each admission is stored by itself (specification, section 7). Above it, a window has
-- SUB_WINDOWS sub-windows; at most 128 are alive at a time, since their edges are not aligned with the window's.
local EXACT_MAX, ROOM, SUB_WINDOWS, OLDERS_MAX, COUNT_MAX = 1000, 128, 126, 12, 1099511627775
local HEADER, HEADER_BYTES = '>dI4dBdBdI4dI2', 52

local key, allowed, seconds, takes = KEYS[1], tonumber(ARGV[1]), tonumber(ARGV[2]), ARGV[3] == 'consume'
local window, wanted = seconds * SECOND, allowed <= EXACT_MAX and 1 or 2

local now
if ARGV[4] then
  now = tonumber(ARGV[4])
else
  local time = redis.call('TIME')
  now = time[1] * SECOND + time[2]
end

local value = redis.call('GET', key)
if not value and not takes then return {1, allowed, 0, 0} end

local expires, longest, shift, kind, last, olders, since, width, total, size
local isSetBack = false
if value then
  expires, longest, shift, kind, last, olders, since, width, total, size = struct.unpack(HEADER, value)
  now = now + shift
  if now < last then
    shift = shift + last - now
    now, isSetBack = last, true
  end
else
  value, expires, longest, shift, kind, last = '', 0, 0, 0, wanted, now
  olders, since, width, total, size = 0, 0, seconds, 0, 0
end

local stride = kind == 1 and 6 or 11
local entries = HEADER_BYTES + 11 * olders + 1
local newest = -1 -- the entry admitted just now, not yet in the value

local function ageOf(i)
  if i == newest then return 0 end
  return (now - struct.unpack('>I6', value, entries + stride * i)) % WRAP
end
local function countOf(i)
  return (struct.unpack('>I5', value, entries + 11 * i + 6))
end
local function isInSubWindow(at)
  local step = math.ceil(window / SUB_WINDOWS)
  return at - at % step == now - now % step
end

-- Rewrites the value in the form that the rule needs. The first `dropped` entries become older counts.
local function rewrite(dropped, fits)
  local older = {}
  local function addOlder(at, count)
    while older[1] and now - older[1][1] >= LONGEST do since = table.remove(older, 1)[1] end
    if now - at >= LONGEST or count == 0 then return end
    if #older == 0 then since = at end
    if #older == OLDERS_MAX then
      -- Merge the two neighbours that span the least in proportion to their age.
      local best, least, from = 1, math.huge, since
      for i = 1, OLDERS_MAX - 1 do
        local loss = (older[i + 1][1] - from) / (now - from + 1)
        if loss < least then best, least = i, loss end
        from = older[i][1]
      end
      older[best + 1][2] = math.min(COUNT_MAX, older[best + 1][2] + older[best][2])
      table.remove(older, best)
    end
    older[#older + 1] = {at, count}
  end

  local known = {}
  for i = 0, olders - 1 do
    local at, count = struct.unpack('>I6I5', value, HEADER_BYTES + 11 * i + 1)
    known[i + 1] = {now - (now - at) % WRAP, count}
  end

  local kept
  if fits then
    for _, each in ipairs(known) do addOlder(each[1], each[2]) end
    if kind == 1 then
      if dropped > 0 then addOlder(now - ageOf(dropped - 1), dropped) end
    else
      for i = 0, dropped - 1 do
        addOlder(now - ageOf(i), countOf(i))
        total = total - countOf(i)
      end
    end
    size = size - dropped
    kept = string.sub(value, entries + stride * dropped, entries + stride * (dropped + size) - 1)
  else
    for i = 0, size - 1 do known[#known + 1] = {now - ageOf(i), kind == 1 and 1 or countOf(i)} end
    kind, width, total, size = wanted, seconds, 0, 0
    stride = kind == 1 and 6 or 11
    local parts = {}
    if kind == 1 then
      local beyond = -EXACT_MAX
      for _, each in ipairs(known) do beyond = beyond + each[2] end
      for _, each in ipairs(known) do
        local at, count = each[1], each[2]
        local gone = math.min(count, math.max(0, beyond))
        beyond = beyond - gone
        if gone > 0 then addOlder(at, gone) end
        parts[#parts + 1] = string.rep(struct.pack('>I6', at % WRAP), count - gone)
        size = size + count - gone
      end
    else
      local step = math.ceil(window / SUB_WINDOWS)
      local recent = {}
      for _, each in ipairs(known) do
        local at, count, before = each[1], each[2], recent[#recent]
        if now - at >= window then
          addOlder(at, count)
        else
          total = total + count
          if before and before[1] - before[1] % step == at - at % step then
            before[1], before[2] = at, before[2] + count
          else
            recent[#recent + 1] = {at, count}
          end
        end
      end
      size = #recent
      for i = 1, size do parts[i] = struct.pack('>I6I5', recent[i][1] % WRAP, math.min(COUNT_MAX, recent[i][2])) end
    end
    kept = table.concat(parts)
  end

  if kind == 1 then
    kept = kept .. string.rep('\0', 6 * (math.min(EXACT_MAX + ROOM, math.max(4, 2 * size)) - size))
  end
  olders = #older
  for i = 1, olders do older[i] = struct.pack('>I6I5', older[i][1] % WRAP, older[i][2]) end
  value = string.rep('\0', HEADER_BYTES) .. table.concat(older) .. kept
  entries = HEADER_BYTES + 11 * olders + 1
end

local fits = kind == wanted and (kind == 1 or width == seconds)
local rewritten = false
if not fits then
  rewrite(0, false)
  rewritten = true
end

-- The first entry within the window, and the number of admissions from there on.
local first, counted = 0, kind == 1 and size or total
if size > 0 and ageOf(0) >= window then
  if kind == 1 then
    local high = size
    first = 1
    while first < high do
      local middle = math.floor((first + high) / 2)
      if ageOf(middle) < window then high = middle else first = middle + 1 end
    end
    counted = size - first
  else
    repeat
      counted = counted - countOf(first)
      first = first + 1
    until first == size or ageOf(first) < window
  end
end

local admitted = counted < allowed
local entry
if takes and admitted then
  if kind == 1 then
    local isFull = entries + 6 * size > #value
    if isFull or (size > 0 and ageOf(0) >= 2 * LONGEST) then
      local dropped = math.max(0, size - EXACT_MAX)
      while dropped < size and ageOf(dropped) >= LONGEST do dropped = dropped + 1 end
      rewrite(dropped, true)
      first, rewritten = math.max(0, first - dropped), true
    end
    size = size + 1
    entry = struct.pack('>I6', now % WRAP)
  else
    local joins = size > first and isInSubWindow(now - ageOf(size - 1))
    if first > 0 or not joins then
      rewrite(first, true)
      first, rewritten = 0, true
      if not joins then
        size = size + 1
        value = value .. string.rep('\0', 11)
      end
    end
    entry = struct.pack('>I6I5', now % WRAP, countOf(size - 1) + 1)
  end
  total = total + 1
  counted = counted + 1
  newest = size - 1
  last = now
end

-- Renewed once per eighth of the longest window, and at once for a longer one.
local isLonger = seconds > longest
if isLonger then longest = seconds end
local keep, lives = longest * SECOND, nil
if expires < last + keep and last + keep > now then
  expires = last + keep * 1.125
  lives = math.ceil((expires - now) / 1000)
end

if takes and (entry or rewritten) then
  local header = struct.pack(HEADER, expires, longest, shift, kind, last, olders, since, width, total, size)
  if rewritten then
    local at = entries + stride * (size - 1)
    local body = string.sub(value, HEADER_BYTES + 1)
    if entry then body = string.sub(value, HEADER_BYTES + 1, at - 1) .. entry .. string.sub(value, at + stride) end
    if lives then
      redis.call('SET', key, header .. body, 'PX', lives)
    else
      redis.call('SET', key, header .. body, 'KEEPTTL')
    end
  else
    redis.call('SETRANGE', key, 0, header)
    redis.call('SETRANGE', key, entries + stride * (size - 1) - 1, entry)
    if lives then redis.call('PEXPIRE', key, lives) end
  end
elseif isLonger or lives or isSetBack then
  redis.call('SETRANGE', key, 0, struct.pack('>dI4d', expires, longest, shift))
  if lives then redis.call('PEXPIRE', key, lives) end
end

local reset, retry = 0, 0
if counted > 0 then reset = math.ceil((window - ageOf(first)) / SECOND) end
if counted >= allowed then
  local free = size - allowed
  if kind == 2 then
    local left = counted
    free = first - 1
    while left >= allowed do
      free = free + 1
      left = left - (free == newest and left or countOf(free))
    end
  end
  retry = math.ceil((window - ageOf(free)) / SECOND)
end
return {admitted and 1 or 0, math.max(0, allowed - counted), reset, retry}
