// usage: Formats write DIR     values, dictionary, frames of our LZ4 blocks, and a dump that we write
//        Formats read DIR      the frames that lz4 wrote of them, and the dump that redis-server saved of ours
using System.Buffers.Binary;
using System.Text;
using Cache.Core.Compression;
using Cache.Durability.Rdb;

const long FarAwayMs = 4_102_444_800_000;
// Magic, version 1 with independent blocks and no checksums, blocks of 4 MB, and the check of these two bytes.
byte[] header = [0x04, 0x22, 0x4D, 0x18, 0x60, 0x70, 0x73];
string directory = args[1];
var random = new Random(7);
byte[] prefix = [.. Enumerable.Range(0, 40).SelectMany(_ => Json(random))];
byte[][] values =
[
    [], "a"u8.ToArray(), [.. Enumerable.Repeat((byte)'x', 100_000)], Json(random), Json(random), Noise(random, 3000),
    [.. Enumerable.Range(0, 3000).SelectMany(_ => Json(random))], [.. prefix, .. Noise(random, 65_000), .. prefix],
];
List<(int Database, string Key, string Value, long? ExpiresAtMs)> entries =
[
    (0, "", "no key", null), (0, "empty", "", null), (0, "007", "007", null), (0, "-0", "-0", null),
    (0, "min", "-2147483648", null), (0, "int8", "-128", null), (0, "int16", "300", null),
    (0, "int64", "9007199254740993", null), (0, "long", new string('v', 100_000), null),
];
for (int i = 0; i < 1000; i++)
    entries.Add((i % 2 == 0 ? 0 : 3, $"key:{i}", Encoding.Latin1.GetString(Json(random)), null));
entries = [.. entries.Select((entry, i) => entry with { ExpiresAtMs = i % 3 == 0 ? FarAwayMs + i : null })];
if (args[0] == "write")
    return Write();
return Read();

int Write()
{
    File.WriteAllBytes(Path.Combine(directory, "dictionary"), prefix);
    foreach (var (i, value) in values.Index())
    {
        File.WriteAllBytes(Path.Combine(directory, $"{i}.value"), value);
        File.WriteAllBytes(Path.Combine(directory, $"{i}.plain.lz4"), Frame(value, null));
        File.WriteAllBytes(Path.Combine(directory, $"{i}.dictionary.lz4"), Frame(value, new Lz4Dictionary(prefix)));
    }

    using var stream = new BufferedStream(File.Create(Path.Combine(directory, "ours.rdb")));
    var writer = new RdbWriter(stream, DateTimeOffset.UtcNow);
    foreach (var (database, key, value, expiresAtMs) in entries.OrderBy(entry => entry.Database))
    {
        byte[] keyBytes = Encoding.Latin1.GetBytes(key);
        writer.Write(new RdbEntry(database, keyBytes, Encoding.Latin1.GetBytes(value), expiresAtMs));
    }

    writer.WriteEnd();
    return 0;
}

int Read()
{
    int failed = 0;
    foreach (var (i, value) in values.Index())
    {
        Check($"{i}.plain", () => Unframe($"{i}.plain.theirs", [], value.Length).SequenceEqual(value));
        Check($"{i}.dictionary", () => Unframe($"{i}.dictionary.theirs", prefix, value.Length).SequenceEqual(value));
    }

    Check("theirs.rdb", () =>
    {
        using var stream = File.OpenRead(Path.Combine(directory, "theirs.rdb"));
        var reader = new RdbReader(stream);
        List<(int, string, string, long?)> found = [];
        while (reader.TryRead(out var entry))
        {
            found.Add((
                entry.Database, Encoding.Latin1.GetString(entry.Key.Span), Encoding.Latin1.GetString(entry.Value.Span),
                entry.ExpiresAtMs));
        }

        return reader.IsChecksummed && found.Order().SequenceEqual(entries.Order())
            && string.Join(' ', reader.Skipped) == "[hash, 2] [list, 3] [set, 2] [stream, 1] [zset, 2]";
    });
    return failed;

    void Check(string name, Func<bool> check)
    {
        string? problem = null;
        try
        {
            problem = check() ? null : "differs";
        }
        catch (Exception failure)
        {
            problem = failure.Message;
        }

        Console.WriteLine($"{name}: {problem ?? "ok"}");
        failed += problem is null ? 0 : 1;
    }
}

byte[] Frame(byte[] value, Lz4Dictionary? dictionary)
{
    byte[] frame = new byte[header.Length + 4 + value.Length + value.Length / 255 + 16 + 4];
    header.CopyTo(frame, 0);
    var block = frame.AsSpan((header.Length + 4)..^4);
    if (!Lz4Encoder.TryEncode(value, dictionary, block, out int written))
        throw new InvalidOperationException();
    BinaryPrimitives.WriteInt32LittleEndian(frame.AsSpan(header.Length), written);
    return [.. frame.AsSpan(0, header.Length + 4 + written), 0, 0, 0, 0];
}

// A frame of lz4 may hold several blocks, and such as are not compressed; with -BI each knows the dictionary alone.
byte[] Unframe(string name, byte[] dictionary, int length)
{
    byte[] frame = File.ReadAllBytes(Path.Combine(directory, name));
    int flags = frame[4];
    int at = 7 + ((flags & 8) != 0 ? 8 : 0) + ((flags & 1) != 0 ? 4 : 0);
    int blockMax = 1 << (8 + 2 * (frame[5] >> 4));
    byte[] value = new byte[length];
    for (int done = 0; ;)
    {
        uint size = BinaryPrimitives.ReadUInt32LittleEndian(frame.AsSpan(at));
        at += 4;
        if (size == 0)
            return done == length ? value : throw new InvalidDataException($"{done} bytes");
        var block = frame.AsSpan(at, (int)(size & int.MaxValue));
        at += block.Length;
        var target = value.AsSpan(done, Math.Min(blockMax, length - done));
        if (size > int.MaxValue)
            block.CopyTo(target);
        else if (!Lz4Decoder.TryDecode(block, dictionary, target))
            throw new InvalidDataException("refused");
        done += target.Length;
    }
}

static byte[] Json(Random random) => Encoding.ASCII.GetBytes(
    $"{{\"id\":{random.Next(1_000_000)},\"name\":\"user{random.Next(500)}\","
    + $"\"email\":\"u{random.Next(99)}@example.com\"}}");

static byte[] Noise(Random random, int length)
{
    byte[] noise = new byte[length];
    random.NextBytes(noise);
    return noise;
}
