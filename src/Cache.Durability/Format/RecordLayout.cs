using System.Buffers.Binary;
using System.Diagnostics;

namespace Cache.Durability.Format;

/// <summary>The layout of a record in a block.</summary>
/// <remarks>
/// <code>
///     0 u24 size of the record, a multiple of 8 │ 3 u8 kind
///     4 u16 key length    6 u8 keyspace         7 u8 flags
///     8 u32 value length │ 12 u8 codec  13 u8 type  14 u16 0
///    16 further fields, 8 bytes each:
///         set, expire   if expiring: i64 deadline; if sliding: i64 sliding ms, i64 absolute
///         patch         i64 offset
///         group         u64 number: its LSN
///         part          u64 LSN of its record or group, i64 offset
///       key │ value │ zeros
/// </code>
/// The value of a group is its records. A parted record has only the length of its value; the bytes come before it, in
/// parts that name the place of the record, or of its group. A group may be parted too.
/// Kind 8 (elements): the value says what becomes of which elements of the key's large collection, as its store reads
/// it; the others stay. Kinds 10 and 11 (transactions) are like a group, and not written yet.
/// </remarks>
internal static class RecordLayout
{
    public const int HeaderSize = 16;
    public const int Alignment = 8;

    /// <summary>The bytes of a group before its records.</summary>
    public const int GroupHeadSize = HeaderSize + FieldSize;

    public const int SizeMax = 0xFFFFF8;
    public const int KeyLengthMax = ushort.MaxValue;

    private const int FieldSize = 8;
    private const int KindShift = 24;
    private const int KeyLengthShift = 32;
    private const int KeyspaceShift = 48;
    private const int FlagsShift = 56;
    private const int CodecShift = 32;
    private const int TypeShift = 40;

    /// <summary>The bytes between header and key.</summary>
    public static int FieldBytesOf(RecordKind kind, RecordFlags flags) => kind switch
    {
        RecordKind.Set or RecordKind.Expire =>
            FieldSize * ((flags & RecordFlags.Expiring) != 0 ? 1 : 0)
            + 2 * FieldSize * ((flags & RecordFlags.Sliding) != 0 ? 1 : 0),
        RecordKind.Patch or RecordKind.Group => FieldSize,
        RecordKind.Part => 2 * FieldSize,
        _ => 0,
    };

    /// <summary>The size of a record; for a parted one without its value.</summary>
    public static int SizeOf(RecordKind kind, RecordFlags flags, int keyLength, int valueLength)
    {
        Debug.Assert(keyLength is >= 0 and <= KeyLengthMax);
        int value = (flags & RecordFlags.Parted) != 0 ? 0 : valueLength;
        return Aligned(HeaderSize + FieldBytesOf(kind, flags) + keyLength + value);
    }

    /// <summary>Writes a record into exactly its bytes.</summary>
    /// <param name="record">Exactly <see cref="SizeOf"/> bytes.</param>
    /// <param name="fields">Its fields.</param>
    /// <param name="key">Its key.</param>
    /// <param name="value">Its value; empty for a parted record.</param>
    /// <param name="valueLength">The length of its value.</param>
    public static void Write(
        Span<byte> record, in RecordFields fields, ReadOnlySpan<byte> key, ReadOnlySpan<byte> value, int valueLength)
    {
        Debug.Assert(record.Length == SizeOf(fields.Kind, fields.Flags, key.Length, valueLength));
        BinaryPrimitives.WriteUInt64LittleEndian(record[8..], SecondWord(fields, valueLength));
        int start = HeaderSize;
        if (FieldBytesOf(fields.Kind, fields.Flags) != 0)
            start += WriteFields(record[HeaderSize..], fields);
        key.CopyTo(record[start..]);
        value.CopyTo(record[(start + key.Length)..]);
        record[(start + key.Length + value.Length)..].Clear();
        BinaryPrimitives.WriteUInt64LittleEndian(record, FirstWord(record.Length, fields, key.Length));
    }

    /// <summary>Writes the head of a group; its records are written behind it separately.</summary>
    /// <param name="group">The bytes of the whole group.</param>
    /// <param name="number">The place of the group.</param>
    public static void WriteGroupHead(Span<byte> group, ulong number)
    {
        var fields = new RecordFields { Kind = RecordKind.Group, Owner = number };
        BinaryPrimitives.WriteUInt64LittleEndian(group[8..], SecondWord(fields, group.Length - GroupHeadSize));
        WriteFields(group[HeaderSize..], fields);
        BinaryPrimitives.WriteUInt64LittleEndian(group, FirstWord(group.Length, fields, 0));
    }

    /// <summary>Makes a place void; it may have only 8 bytes.</summary>
    public static void WriteVoid(Span<byte> record)
    {
        record.Clear();
        BinaryPrimitives.WriteUInt64LittleEndian(record, FirstWord(record.Length, default, 0));
    }

    private static ulong FirstWord(int size, in RecordFields fields, int keyLength) =>
        (uint)size | ((ulong)fields.Kind << KindShift) | ((ulong)(uint)keyLength << KeyLengthShift)
        | ((ulong)fields.Keyspace << KeyspaceShift) | ((ulong)fields.Flags << FlagsShift);

    private static ulong SecondWord(in RecordFields fields, int valueLength) =>
        (uint)valueLength | ((ulong)fields.Codec << CodecShift) | ((ulong)fields.Type << TypeShift);

    /// <summary>Reads the record at the beginning of a payload, or returns the error.</summary>
    public static bool TryRead(ReadOnlySpan<byte> payload, out RecordView record, out string problem)
    {
        record = default;
        problem = "";
        if (payload.Length < Alignment)
            return Fails("is cut off", out problem);
        ulong first = BinaryPrimitives.ReadUInt64LittleEndian(payload);
        int size = (int)(first & 0xFFFFFF);
        bool isVoid = (RecordKind)(byte)(first >> KindShift) == RecordKind.Void;
        if (size < (isVoid ? Alignment : HeaderSize) || size % Alignment != 0 || size > payload.Length)
            return Fails("has an impossible size", out problem);
        if (isVoid)
            return Succeeds(new RecordView { Size = size }, out record);
        ulong second = BinaryPrimitives.ReadUInt64LittleEndian(payload[8..]);
        var fields = new RecordFields
        {
            Kind = (RecordKind)(byte)(first >> KindShift),
            Keyspace = (byte)(first >> KeyspaceShift),
            Flags = (RecordFlags)(byte)(first >> FlagsShift),
            Codec = (byte)(second >> CodecShift),
            Type = (byte)(second >> TypeShift),
        };
        if (fields.Kind is > RecordKind.Elements and not RecordKind.Databases)
            return Fails($"is of kind {(int)fields.Kind}, which a newer version writes", out problem);
        int keyLength = (ushort)(first >> KeyLengthShift);
        uint valueLength = (uint)second;
        long start = HeaderSize + FieldBytesOf(fields.Kind, fields.Flags);
        bool isParted = (fields.Flags & RecordFlags.Parted) != 0;
        if (valueLength > int.MaxValue || start + keyLength + (isParted ? 0 : valueLength) > size)
            return Fails("has an impossible length", out problem);
        if (start > HeaderSize)
            ReadFields(payload[HeaderSize..], ref fields);
        return Succeeds(
            new RecordView
            {
                Size = size,
                Fields = fields,
                Key = payload.Slice((int)start, keyLength),
                Value = isParted ? default : payload.Slice((int)start + keyLength, (int)valueLength),
                ValueLength = (int)valueLength,
            },
            out record);
    }

    /// <summary>Reads size and kind of the record at the beginning of a payload; false if it is cut off.</summary>
    public static bool TryReadHead(
        ReadOnlySpan<byte> payload, out int size, out RecordKind kind, out RecordFlags flags)
    {
        (size, kind, flags) = (0, default, default);
        if (payload.Length < Alignment)
            return false;
        ulong first = BinaryPrimitives.ReadUInt64LittleEndian(payload);
        size = (int)(first & 0xFFFFFF);
        kind = (RecordKind)(byte)(first >> KindShift);
        flags = (RecordFlags)(byte)(first >> FlagsShift);
        int sizeMin = kind switch
        {
            RecordKind.Void => Alignment,
            RecordKind.Group => GroupHeadSize,
            _ => HeaderSize,
        };
        return size >= sizeMin && size % Alignment == 0 && size <= payload.Length;
    }

    /// <summary>Rounds up to a size that records have.</summary>
    public static long Aligned(long bytes) => (bytes + Alignment - 1) & ~(Alignment - 1L);

    private static int Aligned(int size) => (int)Aligned((long)size);

    private static bool Fails(string problem, out string told)
    {
        told = problem;
        return false;
    }

    private static bool Succeeds(RecordView view, out RecordView record)
    {
        record = view;
        return true;
    }

    private static int WriteFields(Span<byte> target, in RecordFields fields)
    {
        switch (fields.Kind)
        {
            case RecordKind.Patch:
                BinaryPrimitives.WriteInt64LittleEndian(target, fields.Offset);
                return FieldSize;
            case RecordKind.Group:
                BinaryPrimitives.WriteUInt64LittleEndian(target, fields.Owner);
                return FieldSize;
            case RecordKind.Part:
                BinaryPrimitives.WriteUInt64LittleEndian(target, fields.Owner);
                BinaryPrimitives.WriteInt64LittleEndian(target[FieldSize..], fields.Offset);
                return 2 * FieldSize;
        }

        int length = 0;
        if ((fields.Flags & RecordFlags.Expiring) != 0)
        {
            BinaryPrimitives.WriteInt64LittleEndian(target, fields.DeadlineMs);
            length = FieldSize;
        }

        if ((fields.Flags & RecordFlags.Sliding) == 0)
            return length;
        BinaryPrimitives.WriteInt64LittleEndian(target[length..], fields.SlidingMs);
        BinaryPrimitives.WriteInt64LittleEndian(target[(length + FieldSize)..], fields.AbsoluteMs);
        return length + 2 * FieldSize;
    }

    private static void ReadFields(ReadOnlySpan<byte> source, ref RecordFields fields)
    {
        switch (fields.Kind)
        {
            case RecordKind.Patch:
                fields.Offset = BinaryPrimitives.ReadInt64LittleEndian(source);
                return;
            case RecordKind.Group:
                fields.Owner = BinaryPrimitives.ReadUInt64LittleEndian(source);
                return;
            case RecordKind.Part:
                fields.Owner = BinaryPrimitives.ReadUInt64LittleEndian(source);
                fields.Offset = BinaryPrimitives.ReadInt64LittleEndian(source[FieldSize..]);
                return;
        }

        int length = 0;
        if ((fields.Flags & RecordFlags.Expiring) != 0)
        {
            fields.DeadlineMs = BinaryPrimitives.ReadInt64LittleEndian(source);
            length = FieldSize;
        }

        if ((fields.Flags & RecordFlags.Sliding) == 0)
            return;
        fields.SlidingMs = BinaryPrimitives.ReadInt64LittleEndian(source[length..]);
        fields.AbsoluteMs = BinaryPrimitives.ReadInt64LittleEndian(source[(length + FieldSize)..]);
    }
}
