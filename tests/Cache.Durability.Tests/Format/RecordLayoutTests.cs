using System.Text;
using Cache.Durability.Format;
using Cache.Testing;

namespace Cache.Durability.Tests.Format;

public sealed class RecordLayoutTests
{
    [Fact]
    public void Write_Set_LiesAsDrawn()
    {
        var fields = new RecordFields
        {
            Kind = RecordKind.Set,
            Keyspace = 3,
            Flags = RecordFlags.Expiring | RecordFlags.Main,
            Use = 2,
            Codec = 4,
            Type = 5,
            DeadlineMs = 0x0102030405060708,
        };
        Assert.Equal(
            "20000001" + "0300" + "03" + "15" + "05000000" + "04" + "05" + "0000" + "0807060504030201"
            + "6B6579" + "76616C7565",
            Convert.ToHexString(Encode(fields, "key", "value")));
    }

    [Fact]
    public void Read_AnyRecord_IsWhatWasWritten() => RandomSeed.Run(this, static seed =>
    {
        var random = new Random(seed);
        for (int round = 0; round < 2000; round++)
        {
            var fields = RandomFields(random);
            string key = fields.Kind is RecordKind.Clear or RecordKind.Group or RecordKind.Part ? "" : Text(random, 40);
            string value = Text(random, 200);
            byte[] record = Encode(fields, key, value);
            Assert.Equal(0, record.Length % RecordLayout.Alignment);
            Assert.True(RecordLayout.TryRead(record, out var read, out _));
            Assert.Equal(record.Length, read.Size);
            Assert.Equal(Encoding.UTF8.GetBytes(key), read.Key.ToArray());
            Assert.Equal(Encoding.UTF8.GetBytes(value), read.Value.ToArray());
            Assert.Equal(fields, read.Fields);
        }
    });

    [Fact]
    public void Read_PartedRecord_HasTheLengthAlone()
    {
        var fields = new RecordFields { Kind = RecordKind.Set, Flags = RecordFlags.Parted };
        byte[] record = new byte[RecordLayout.SizeOf(fields.Kind, fields.Flags, 3, 1 << 20)];
        RecordLayout.Write(record, fields, "key"u8, default, 1 << 20);
        Assert.True(RecordLayout.TryRead(record, out var read, out _));
        Assert.Equal(24, read.Size);
        Assert.Equal(1 << 20, read.ValueLength);
        Assert.True(read.Value.IsEmpty);
    }

    [Theory]
    [InlineData(8)]
    [InlineData(16)]
    [InlineData(64)]
    public void Read_Void_IsPassed(int size)
    {
        byte[] record = new byte[size];
        record.AsSpan().Fill(0xFF);
        RecordLayout.WriteVoid(record);
        Assert.True(RecordLayout.TryRead(record, out var read, out _));
        Assert.Equal(size, read.Size);
        Assert.Equal(RecordKind.Void, read.Fields.Kind);
    }

    [Theory]
    [InlineData(9)]
    [InlineData(10)]
    [InlineData(11)]
    [InlineData(255)]
    public void Read_KindOfANewerVersion_IsRefused(int kind)
    {
        byte[] record = Encode(new RecordFields { Kind = (RecordKind)kind }, "key", "value");
        Assert.False(RecordLayout.TryRead(record, out _, out string problem));
        Assert.Equal($"is of kind {kind}, which a newer version writes", problem);
    }

    [Fact]
    public void Read_AnyBytes_NeverLooksBehindThem() => RandomSeed.Run(this, static seed =>
    {
        var random = new Random(seed);
        byte[] bytes = new byte[256];
        for (int round = 0; round < 20_000; round++)
        {
            random.NextBytes(bytes);
            bytes[2] = 0;
            bytes[1] = (byte)random.Next(2);
            bytes[3] = (byte)random.Next(9);
            var reader = new RecordReader(bytes.AsSpan(0, random.Next(bytes.Length + 1)));
            int read = 0;
            while (reader.TryRead(out var record))
                read += record.Size;
            Assert.Equal(read, reader.Position);
        }
    });

    [Fact]
    public void Read_EveryTruncation_IsRefused()
    {
        byte[] record = Encode(new RecordFields { Kind = RecordKind.Set }, "key", "a value of some length");
        for (int length = 1; length < record.Length; length++)
        {
            var reader = new RecordReader(record.AsSpan(0, length));
            Assert.False(reader.TryRead(out _));
            Assert.NotEmpty(reader.Problem);
        }
    }

    private static byte[] Encode(RecordFields fields, string key, string value)
    {
        byte[] keyBytes = Encoding.UTF8.GetBytes(key);
        byte[] valueBytes = Encoding.UTF8.GetBytes(value);
        byte[] record = new byte[RecordLayout.SizeOf(fields.Kind, fields.Flags, keyBytes.Length, valueBytes.Length)];
        record.AsSpan().Fill(0xEE);
        RecordLayout.Write(record, fields, keyBytes, valueBytes, valueBytes.Length);
        return record;
    }

    private static string Text(Random random, int lengthMax) => new('x', random.Next(lengthMax));

    private static RecordFields RandomFields(Random random)
    {
        var fields = new RecordFields
        {
            Kind = (RecordKind)random.Next(1, 8),
            Keyspace = (byte)random.Next(256),
            Codec = (byte)random.Next(16),
            Use = random.Next(4),
        };
        switch (fields.Kind)
        {
            case RecordKind.Set or RecordKind.Expire:
                fields.Flags |= (RecordFlags)random.Next(4);
                if ((fields.Flags & RecordFlags.Expiring) != 0)
                    fields.DeadlineMs = random.NextInt64();
                if ((fields.Flags & RecordFlags.Sliding) != 0)
                    (fields.SlidingMs, fields.AbsoluteMs) = (random.NextInt64(), random.NextInt64());
                break;
            case RecordKind.Patch:
                fields.Offset = random.NextInt64();
                break;
            case RecordKind.Group:
                fields.Owner = (ulong)random.NextInt64();
                break;
            case RecordKind.Part:
                (fields.Owner, fields.Offset) = ((ulong)random.NextInt64(), random.NextInt64());
                break;
        }

        return fields;
    }
}
