-- Packs values into texts, by the formats of Redis's library struct.
local base, string, table, math, tools = ...
local error, select, tonumber, type = base.error, base.select, base.tonumber, base.type
local byte, sub, format, pack, unpack, rep = string.byte, string.sub, string.format, string.pack, string.unpack, string.rep
local whole, text = tools.whole, tools.text

-- As many bytes of a text as one format may ask for.
local LENGTHMAX = 1 << 30

local sizes = { b = 1, B = 1, h = 2, H = 2, l = 8, L = 8, T = 8, f = 4, d = 8 }

-- Calls a function for each item: its letter, its size, where it is to lie, and the order of bytes.
local function scan(pattern, each)
  local at, order, align, offset = 1, "<", 1, 0
  local function count(default)
    local digits = string.match(pattern, "^%d+", at)
    if not digits then return default end
    at = at + #digits
    local n = tonumber(digits)
    if not n or #digits > 10 or n > LENGTHMAX then error("integral size overflow", 0) end
    return math.tointeger(n)
  end
  while at <= #pattern do
    local letter = sub(pattern, at, at)
    at = at + 1
    if letter == "<" or letter == ">" then
      order = letter
    elseif letter == "=" then
      order = "<"
    elseif letter == "!" then
      align = count(8)
      if align < 1 or align & (align - 1) ~= 0 then error("alignment is not a power of 2", 0) end
    elseif letter ~= " " then
      local size = sizes[letter]
      if letter == "i" or letter == "I" then
        size = count(4)
        if size > 32 then error(format("integral size %d is larger than limit of %d", size, 32), 0) end
        if size > 8 or size < 1 then error(format("integral size %d is not supported here", size), 0) end
      elseif letter == "c" then
        size = count(1)
      elseif letter == "x" then
        size = 1
      elseif letter == "s" then
        size = 0
      elseif not size then
        error(format("invalid format option '%s'", letter), 0)
      end
      local padding = 0
      if align > 1 and size > 1 and letter ~= "c" and letter ~= "s" then
        local step = size < align and size or align
        if step & (step - 1) ~= 0 then error("alignment is not a power of 2", 0) end
        padding = -offset & (step - 1)
      end
      offset = each(letter, size, offset + padding, order, padding)
    end
  end
end

local function raised(f)
  return function(...)
    local isdone, a, b = base.pcall(f, ...)
    if isdone then return table.unpack(a, 1, b) end
    error(a, 2)
  end
end

local function packed(pattern, ...)
  pattern = text(pattern)
  local values, index, parts = { ... }, 0, {}
  local count = select("#", ...)
  local function argument(wanted)
    index = index + 1
    local v = values[index]
    if index > count then error(format("bad argument #%d to 'pack' (%s expected, got no value)", index + 1, wanted), 0) end
    if wanted == "number" then v = tools.float(v) else v = text(v) end
    if type(v) ~= wanted then
      error(format("bad argument #%d to 'pack' (%s expected, got %s)", index + 1, wanted, type(values[index])), 0)
    end
    return v
  end
  scan(pattern, function(letter, size, offset, order, padding)
    if padding > 0 then parts[#parts + 1] = rep("\0", padding) end
    local part
    if letter == "x" then
      part = "\0"
    elseif letter == "f" or letter == "d" then
      part = pack(order .. letter, argument("number"))
    elseif letter == "s" then
      part = argument("string") .. "\0"
    elseif letter == "c" then
      local v = argument("string")
      if size == 0 then size = #v end
      if #v < size then error(format("bad argument #%d to 'pack' (string too short)", index + 1), 0) end
      part = sub(v, 1, size)
    else
      local n = whole(argument("number"))
      if size < 8 then n = n & (1 << size * 8) - 1 end
      part = pack(order .. "I" .. size, n)
    end
    parts[#parts + 1] = part
    return offset + #part
  end)
  return { table.concat(parts) }, 1
end

local function unpacked(pattern, data, position)
  pattern, data = text(pattern), text(data)
  if type(data) ~= "string" then error("bad argument #2 to 'unpack' (string expected)", 0) end
  local start = position == nil and 1 or whole(position)
  if type(start) ~= "number" or start < 1 then error("offset must be 1 or greater", 0) end
  local values, count = {}, 0
  local function add(v) count = count + 1 values[count] = v end
  local last = 0
  scan(pattern, function(letter, size, offset, order)
    local at = start + offset
    if letter == "c" and size == 0 then
      size = values[count]
      if type(size) ~= "number" then error("format 'c0' needs a previous size", 0) end
      size = whole(size)
      if size < 0 or size > LENGTHMAX then error("data string too short", 0) end
      values[count] = nil
      count = count - 1
    end
    if letter ~= "s" and (size > #data or at + size - 1 > #data) then error("data string too short", 0) end
    local stop = at + size
    if letter == "s" then
      local zero = string.find(data, "\0", at, true)
      if not zero then error("unfinished string in data", 0) end
      add(sub(data, at, zero - 1))
      stop = zero + 1
    elseif letter == "c" then
      add(sub(data, at, stop - 1))
    elseif letter == "f" or letter == "d" then
      add((unpack(order .. letter, data, at)))
    elseif letter ~= "x" then
      local isunsigned = letter == "B" or letter == "H" or letter == "L" or letter == "T" or letter == "I"
      local n = unpack(order .. (isunsigned and "I" or "i") .. size, data, at)
      if isunsigned and size == 8 and n < 0 then n = n + 0x1p64 end
      add(n + 0.0)
    end
    last = stop - start
    return last
  end)
  add(start + last)
  return values, count
end

local function size(pattern)
  local total = 0
  scan(text(pattern), function(letter, length, offset)
    if letter == "s" then error("variable-size format in struct.size", 0) end
    if letter == "c" and length == 0 then error("variable-length format in struct.size", 0) end
    total = offset + length
    if total > LENGTHMAX then error("format result too large", 0) end
    return total
  end)
  return { total }, 1
end

return { pack = raised(packed), unpack = raised(unpacked), size = raised(size) }
