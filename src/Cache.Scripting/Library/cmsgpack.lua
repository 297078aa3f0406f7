-- MessagePack, as the library lua-cmsgpack has it.
local base, string, table, math, tools = ...
local error, next, select, type = base.error, base.next, base.select, base.type
local byte, pack, sub, unpack = string.byte, string.pack, string.sub, string.unpack
local tointeger = math.tointeger

-- As in Redis: what lies deeper becomes nil.
local DEPTHMAX = 16

-- What is nested deeper in a text is refused.
local READDEPTHMAX = 1000

local function ofinteger(n)
  if n >= 0 then
    if n <= 0x7F then return pack("B", n) end
    if n <= 0xFF then return pack("BB", 0xCC, n) end
    if n <= 0xFFFF then return pack(">BI2", 0xCD, n) end
    if n <= 0xFFFFFFFF then return pack(">BI4", 0xCE, n) end
    return pack(">Bi8", 0xCF, n)
  end
  if n >= -32 then return pack("b", n) end
  if n >= -0x80 then return pack(">Bi1", 0xD0, n) end
  if n >= -0x8000 then return pack(">Bi2", 0xD1, n) end
  if n >= -0x80000000 then return pack(">Bi4", 0xD2, n) end
  return pack(">Bi8", 0xD3, n)
end

local function ofnumber(n)
  local whole = tointeger(n)
  if whole then return ofinteger(whole) end
  local short = pack(">f", n)
  if unpack(">f", short) == n then return "\xCA" .. short end
  return pack(">Bd", 0xCB, n)
end

local function ofstring(s)
  local n = #s
  if n < 32 then return pack("B", 0xA0 | n) .. s end
  if n <= 0xFF then return pack("BB", 0xD9, n) .. s end
  if n <= 0xFFFF then return pack(">BI2", 0xDA, n) .. s end
  return pack(">BI4", 0xDB, n) .. s
end

local function header(n, fixed, short, long)
  if n <= 15 then return pack("B", fixed | n) end
  if n <= 0xFFFF then return pack(">BI2", short, n) end
  return pack(">BI4", long, n)
end

local write

local function writetable(t, parts, depth)
  t = tools.realof(t)
  local greatest, count, isarray = 0, 0, true
  for key in next, t do
    count = count + 1
    if type(key) ~= "number" or key <= 0 or not tointeger(key) then isarray = false
    elseif key > greatest then greatest = key end
  end
  if isarray and greatest == count then
    parts[#parts + 1] = header(count, 0x90, 0xDC, 0xDD)
    for i = 1, count do write(base.rawget(t, i), parts, depth + 1) end
    return
  end
  parts[#parts + 1] = header(count, 0x80, 0xDE, 0xDF)
  local keys = tools.keysof(t)
  for i = 1, #keys do
    write(keys[i], parts, depth + 1)
    write(base.rawget(t, keys[i]), parts, depth + 1)
  end
end

write = function(v, parts, depth)
  local kind = type(v)
  if kind == "table" and depth == DEPTHMAX then kind = "nil" end
  if kind == "string" then parts[#parts + 1] = ofstring(v)
  elseif kind == "number" then parts[#parts + 1] = ofnumber(v)
  elseif kind == "boolean" then parts[#parts + 1] = v and "\xC3" or "\xC2"
  elseif kind == "table" then writetable(v, parts, depth)
  else parts[#parts + 1] = "\xC0" end
end

-- By the first byte: the format of what follows, and whether a length follows.
local numbers = { [0xCA] = ">f", [0xCB] = ">d", [0xCC] = "B", [0xCD] = ">I2", [0xCE] = ">I4", [0xCF] = ">I8",
  [0xD0] = "b", [0xD1] = ">i2", [0xD2] = ">i4", [0xD3] = ">i8" }
local strings = { [0xD9] = "B", [0xDA] = ">I2", [0xDB] = ">I4", [0xC4] = "B", [0xC5] = ">I2", [0xC6] = ">I4" }
local arrays = { [0xDC] = ">I2", [0xDD] = ">I4" }
local maps = { [0xDE] = ">I2", [0xDF] = ">I4" }

local function need(data, at, count)
  if count > #data - at + 1 then error("Missing bytes in input.", 0) end
end

local function take(layout, data, at)
  need(data, at, string.packsize(layout))
  return unpack(layout, data, at)
end

local read

local function readstring(data, at, length)
  need(data, at, length)
  return sub(data, at, at + length - 1), at + length
end

local function readarray(data, at, count, depth)
  need(data, at, count)
  local t = {}
  for i = 1, count do t[i], at = read(data, at, depth) end
  return t, at
end

local function readmap(data, at, count, depth)
  need(data, at, 2 * count)
  local t = {}
  for _ = 1, count do
    local key, v
    key, at = read(data, at, depth)
    v, at = read(data, at, depth)
    if key == nil or key ~= key then error("Bad data format in input.", 0) end
    t[key] = v
  end
  return t, at
end

read = function(data, at, depth)
  if depth > READDEPTHMAX then error("Bad data format in input.", 0) end
  need(data, at, 1)
  local first = byte(data, at)
  at = at + 1
  if first <= 0x7F then return first + 0.0, at end
  if first >= 0xE0 then return first - 256.0, at end
  if first <= 0x8F then return readmap(data, at, first & 15, depth + 1) end
  if first <= 0x9F then return readarray(data, at, first & 15, depth + 1) end
  if first <= 0xBF then return readstring(data, at, first & 31) end
  if first == 0xC0 then return nil, at end
  if first == 0xC2 or first == 0xC3 then return first == 0xC3, at end
  local layout = numbers[first]
  if layout then
    local n
    n, at = take(layout, data, at)
    if first == 0xCF and n < 0 then n = n + 0x1p64 end
    return n + 0.0, at
  end
  layout = strings[first] or arrays[first] or maps[first]
  if not layout then error("Bad data format in input.", 0) end
  local length
  length, at = take(layout, data, at)
  if strings[first] then return readstring(data, at, length) end
  if arrays[first] then return readarray(data, at, length, depth + 1) end
  return readmap(data, at, length, depth + 1)
end

-- limit 0: all values. With a limit, what comes first is where the next value begins, or -1.
local function readmany(data, offset, limit)
  data = tools.text(data)
  if type(data) ~= "string" then error("bad argument #1 to 'unpack' (string expected, got " .. type(data) .. ")", 0) end
  if offset < 0 or limit < 0 then error("Invalid request to unpack with offset or limit below 0.", 0) end
  if offset > #data then error("Start offset " .. offset .. " greater than input length " .. #data .. ".", 0) end
  local values, count, at = {}, 0, offset + 1
  local shift = limit > 0 and 1 or 0
  while at <= #data and (limit == 0 or count < limit) do
    count = count + 1
    values[count + shift], at = read(data, at, 1)
  end
  if shift == 1 then values[1] = at > #data and -1 or at - 1 end
  return values, count + shift
end

local function placed(f)
  return function(...)
    local isdone, values, count = base.pcall(f, ...)
    if isdone then return table.unpack(values, 1, count) end
    error(values, 2)
  end
end

local function integer(v, default)
  if v == nil then return default end
  v = tools.whole(v)
  if type(v) ~= "number" then error("bad argument (number expected)", 0) end
  return v
end

return {
  _NAME = "cmsgpack", _VERSION = "lua-cmsgpack 0.4.0", _COPYRIGHT = "", _DESCRIPTION = "MessagePack C implementation for Lua",
  pack = placed(function(...)
    if select("#", ...) == 0 then error("bad argument #0 to 'pack' (MessagePack pack needs input.)", 0) end
    local parts = {}
    for i = 1, select("#", ...) do write((select(i, ...)), parts, 0) end
    return { table.concat(parts) }, 1
  end),
  unpack = placed(function(data) return readmany(data, 0, 0) end),
  unpack_one = placed(function(data, offset) return readmany(data, integer(offset, 0), 1) end),
  unpack_limit = placed(function(data, limit, offset) return readmany(data, integer(offset, 0), integer(limit, 0)) end),
}
