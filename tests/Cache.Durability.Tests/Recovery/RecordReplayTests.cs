using System.Globalization;
using System.Text;
using Cache.Durability.Format;
using Cache.Durability.Recovery;
using Cache.Testing;

namespace Cache.Durability.Tests.Recovery;

public sealed class RecordReplayTests
{
    private const ulong Lsn = 1 << 24;

    private readonly Target _target = new();
    private readonly RecordReplay _replay;

    public RecordReplayTests() => _replay = new RecordReplay(_target);

    [Fact]
    public void Apply_Records_ComeInTheirOrder()
    {
        Apply(Lsn, [.. Set("a", "1"), .. Void(32), .. Set("b", "2"), .. Record(RecordKind.Remove, "a", "")]);
        Assert.Equal(["Set a=1", "Set b=2", "Remove a="], _target.Seen);
        Assert.Equal(3, _replay.Count);
    }

    [Fact]
    public void Apply_GroupInOneRecord_IsTakenWhole()
    {
        Apply(Lsn, Group(5, [.. Set("a", "1"), .. Set("b", "2")]));
        Assert.Equal(["Set a=1", "Set b=2"], _target.Seen);
    }

    [Fact]
    public void Apply_GroupInParts_IsTakenWithItsHead()
    {
        byte[] records = [.. Set("a", "1"), .. Void(8), .. Parted("b", 4)];
        Apply(Lsn, [.. Part(3 * Lsn, 0, records[..40]), .. Part(3 * Lsn, 40, records[40..])]);
        Apply(2 * Lsn, Part(3 * Lsn, 0, "abcd"));
        Assert.Empty(_target.Seen);
        Apply(3 * Lsn, PartedGroup(3 * Lsn, records.Length));
        Assert.Equal(["Set a=1", "Set b=abcd"], _target.Seen);
    }

    [Fact]
    public void Apply_GroupWithoutItsParts_IsRefused() => Refused(Lsn, PartedGroup(Lsn, 64));

    [Fact]
    public void Apply_GroupWithSeveralLongValues_TakesThemInTheirOrder()
    {
        Apply(Lsn, [.. Part(Lsn, 0, "ab"), .. Part(Lsn, 2, "cd"), .. Part(Lsn, 0, "efg")]);
        Apply(Lsn, Group(Lsn, [.. Parted("a", 4), .. Set("b", "2"), .. Parted("c", 3)]));
        Assert.Equal(["Set a=abcd", "Set b=2", "Set c=efg"], _target.Seen);
    }

    [Fact]
    public void Apply_GroupThatLacksAValue_IsRefusedBeforeItsFirst()
    {
        Apply(Lsn, Part(Lsn, 0, "abcd"));
        Refused(Lsn, Group(Lsn, [.. Parted("a", 4), .. Parted("b", 4)]));
        Assert.Empty(_target.Seen);
    }

    // Of damaged blocks that a person lets be skipped.
    [Fact]
    public void Apply_AfterAGap_ValuesThatLackPartsAreRemoved()
    {
        Apply(Lsn, [.. Set("a", "1"), .. Set("b", "1")]);
        Apply(2 * Lsn, Part(2 * Lsn, 0, "abcd"));
        _replay.NoteGap();
        Apply(2 * Lsn, Part(2 * Lsn, 0, "efgh"));
        Apply(2 * Lsn, [.. Parted("a", 4), .. Group(Lsn, Parted("b", 4)), .. PartedGroup(7, 64)]);
        Assert.Equal(["Set a=1", "Set b=1", "Remove a=", "Remove b="], _target.Seen);
        Refused(3 * Lsn, Parted("a", 4));
    }

    [Fact]
    public void Apply_LongValuesOfOneBlock_AreToldApart()
    {
        Apply(Lsn, [.. Part(2 * Lsn, 0, "ab"), .. Part(2 * Lsn + 24, 0, "cd")]);
        Apply(2 * Lsn, [.. Parted("a", 2), .. Parted("b", 2)]);
        Assert.Equal(["Set a=ab", "Set b=cd"], _target.Seen);
    }

    [Fact]
    public void Apply_GroupWithADamagedRecord_IsRefusedBeforeItsFirst()
    {
        byte[] second = Set("b", "2");
        second[3] = 9;
        Refused(Lsn, Group(5, [.. Set("a", "1"), .. second]));
        Assert.Empty(_target.Seen);
    }

    [Fact]
    public void Apply_GroupWithinAGroup_IsRefused() =>
        Refused(Lsn, Group(5, Group(6, Set("a", "1"))));

    [Fact]
    public void Apply_LongValue_IsPutTogether()
    {
        Apply(Lsn, Part(3 * Lsn + 64, 0, "ab"));
        Apply(2 * Lsn, Part(3 * Lsn + 64, 2, "cd"));
        Apply(3 * Lsn + 64, Parted("key", 4));
        Assert.Equal(["Set key=abcd"], _target.Seen);
    }

    [Fact]
    public void Apply_PartsWithoutTheirRecord_AreDropped()
    {
        Apply(Lsn, Part(9 * Lsn, 0, "lost"));
        Apply(2 * Lsn, Part(3 * Lsn, 0, "abcd"));
        Apply(3 * Lsn, Parted("key", 4));
        Assert.Equal(["Set key=abcd"], _target.Seen);
    }

    [Theory]
    [InlineData(3)]
    [InlineData(5)]
    public void Apply_ValueOfAnotherLength_IsRefused(int length)
    {
        Apply(Lsn, Part(2 * Lsn, 0, "abcd"));
        Refused(2 * Lsn, Parted("key", length));
    }

    [Fact]
    public void Apply_PartsOfAnotherRecord_AreRefused()
    {
        Apply(Lsn, Part(9 * Lsn, 0, "abcd"));
        Refused(2 * Lsn, Parted("key", 4));
    }

    [Fact]
    public void Apply_PartThatIsNotTheNext_IsRefused() => Refused(Lsn, Part(2 * Lsn, 4, "abcd"));

    [Fact]
    public void Apply_AnyFlippedByte_IsTakenOrRefused() => RandomSeed.Run(this, static seed =>
    {
        var random = new Random(seed);
        byte[] records =
        [
            .. Set("a", "1"), .. Group(6, Set("b", "2")), .. Part(9, 0, "abcd"),
            .. Group(5, Set("c", "3")), .. Record(RecordKind.Patch, "a", "patch"),
        ];
        for (int round = 0; round < 4_000; round++)
        {
            byte[] damaged = (byte[])records.Clone();
            for (int i = random.Next(1, 4); i > 0; i--)
                damaged[random.Next(damaged.Length)] = (byte)random.Next(256);
            try
            {
                new RecordReplay(new Target()).Apply("file", 0, Lsn, damaged);
            }
            catch (RecoveryRefusedException)
            {
            }
        }
    });

    private void Apply(ulong lsn, byte[] payload) => _replay.Apply("file", 0, lsn, payload);

    private void Refused(ulong lsn, byte[] payload) =>
        Assert.Throws<RecoveryRefusedException>(() => _replay.Apply("file", 0, lsn, payload));

    private static byte[] Set(string key, string value) => Record(RecordKind.Set, key, value);

    private static byte[] Void(int size)
    {
        byte[] record = new byte[size];
        RecordLayout.WriteVoid(record);
        return record;
    }

    private static byte[] Group(ulong number, byte[] records) =>
        Write(new RecordFields { Kind = RecordKind.Group, Owner = number }, [], records, records.Length);

    private static byte[] PartedGroup(ulong number, int length) =>
        Write(
            new RecordFields { Kind = RecordKind.Group, Flags = RecordFlags.Parted, Owner = number }, [], [], length);

    private static byte[] Part(ulong owner, long offset, string bytes) =>
        Part(owner, offset, Encoding.ASCII.GetBytes(bytes));

    private static byte[] Part(ulong owner, long offset, byte[] bytes) =>
        Write(
            new RecordFields { Kind = RecordKind.Part, Owner = owner, Offset = offset }, [], bytes, bytes.Length);

    private static byte[] Parted(string key, int length) =>
        Write(
            new RecordFields { Kind = RecordKind.Set, Flags = RecordFlags.Parted }, Encoding.ASCII.GetBytes(key), [],
            length);

    private static byte[] Record(RecordKind kind, string key, string value) =>
        Write(
            new RecordFields { Kind = kind }, Encoding.ASCII.GetBytes(key), Encoding.ASCII.GetBytes(value),
            value.Length);

    private static byte[] Write(RecordFields fields, byte[] key, byte[] value, int length)
    {
        byte[] record = new byte[RecordLayout.SizeOf(fields.Kind, fields.Flags, key.Length, length)];
        RecordLayout.Write(record, fields, key, value, length);
        return record;
    }

    private sealed class Target : IRecordTarget
    {
        public List<string> Seen { get; } = [];

        public string Apply(in RecordView record, ReadOnlySpan<byte> value)
        {
            Seen.Add(string.Create(
                CultureInfo.InvariantCulture,
                $"{record.Fields.Kind} {Encoding.ASCII.GetString(record.Key)}={Encoding.ASCII.GetString(value)}"));
            return "";
        }
    }
}
