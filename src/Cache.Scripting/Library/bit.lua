-- Operations on the bits of 32-bit integers, as the library BitOp has them.
local base, string, table, math, tools = ...
local floor, float, select, error, format = math.floor, tools.float, base.select, base.error, string.format

local function bits(v, position)
  local n = float(v)
  if not n then
    error(format("bad argument #%d (number expected, got %s)", position or 1, v == nil and "no value" or base.type(v)), 3)
  end
  if n ~= n or n >= 0x1p53 or n <= -0x1p53 then n = n ~= n and 0 or math.fmod(n, 0x1p32) end
  if n ~= n or n >= 0x1p53 or n <= -0x1p53 then return 0 end
  local whole = floor(n + 0.5)
  if n + 0.5 == whole and whole % 2 ~= 0 then whole = whole - 1 end -- To the even one.
  return floor(whole) & 0xFFFFFFFF
end

local function signed(n)
  n = n & 0xFFFFFFFF
  return n >= 0x80000000 and n - 0x100000000 or n
end

local function fold(operation)
  return function(first, ...)
    local result = bits(first)
    for i = 1, select("#", ...) do result = operation(result, bits((select(i, ...)), i + 1)) end
    return signed(result)
  end
end

local function rotated(n, by) return n << by | n >> (32 - by) end

return {
  tobit = function(n) return signed(bits(n)) end,
  bnot = function(n) return signed(~bits(n)) end,
  band = fold(function(a, b) return a & b end),
  bor = fold(function(a, b) return a | b end),
  bxor = fold(function(a, b) return a ~ b end),
  lshift = function(n, by) return signed(bits(n) << (bits(by, 2) & 31)) end,
  rshift = function(n, by) return signed(bits(n) >> (bits(by, 2) & 31)) end,
  arshift = function(n, by)
    n, by = signed(bits(n)), bits(by, 2) & 31
    return signed(n >> by | (n < 0 and ~(-1 >> by) or 0))
  end,
  rol = function(n, by) return signed(rotated(bits(n), bits(by, 2) & 31)) end,
  ror = function(n, by) return signed(rotated(bits(n), -bits(by, 2) & 31)) end,
  bswap = function(n)
    n = bits(n)
    return signed(n >> 24 | n >> 8 & 0xFF00 | (n & 0xFF00) << 8 | (n & 0xFF) << 24)
  end,
  tohex = function(n, digits)
    n = bits(n)
    local count = digits == nil and 8 or signed(bits(digits, 2))
    local letters = "%08x"
    if count < 0 then letters, count = "%08X", -count end
    if count > 8 then count = 8 end
    return string.sub(format(letters, n), 9 - count)
  end,
}
