using Cache.Core;
using Cache.Server.Clients;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Commands.Table;
using Cache.Server.Protocol;

namespace Cache.Server.Commands.Transactions;

/// <summary>How much work a queued command is, and how much room its writes take.</summary>
internal static class TransactionWork
{
    /// <summary>A call of a short command, in nanoseconds.</summary>
    public const long CallWork = 500;

    // The time for a byte of a value that a command reads or writes, at most, in nanoseconds.
    private const long ByteWork = 4;

    // Those whose reply may name an element as often as a number says.
    private static readonly string[] _withCount = ["srandmember", "hrandfield", "zrandmember"];

    // What the journal is told of a large collection has a header for each element; a write has at most 128 elements.
    private const int ElementsPerWrite = 128;
    private const int ElementBytes = 16;

    // A small collection is told as a whole.
    private const int PackedBytesMax = 4096 + 64;

    // A collection in one record has fewer bytes.
    private const long LargeMin = 16 << 10;

    // What a payload of RESTORE becomes: of short elements each takes a header, and strings may be compressed. One that
    // becomes more finds no room then.
    private const int RestoredPerByte = 16;

    private const int BitsPerByte = 8;
    private const int FieldBytesMax = 8;

    // Of what a script makes of nothing.
    private const long UnknownBytesMin = 1024;

    // More is not reserved for one command: the write reports that it has no room.
    private const long RoomBytesMax = 64 << 20;

    // Their arguments decide, or the product of two lengths.
    private static readonly string[] _unbounded =
        ["lcs", "setrange", "setbit", "bitfield", "incrbyfloat", "hincrbyfloat", "restore"];

    /// <summary>About how much work a command is, in steps of a nanosecond.</summary>
    public static long Of(CommandDefinition command, in RespRequest request, CommandContext context)
    {
        if (command.Work == CommandWork.Short)
            return 0;
        if (!IsBounded(command, request.Count))
            return Turn.WorkMax + 1;
        long work = request.Count * CallWork;
        var keys = new KeyEnumerator(command, request, 0);
        while (keys.MoveNext())
        {
            IsLarge(request[keys.Index], context, out long bytes);
            work += bytes * ByteWork;
        }

        return work;
    }

    /// <summary>Whether the lengths of its keys' values tell how much work it is at most.</summary>
    /// <param name="command">The command.</param>
    /// <param name="wordCount">The number of its words.</param>
    public static bool IsBounded(CommandDefinition command, int wordCount) =>
        command.Work != CommandWork.Long && Array.IndexOf(_unbounded, command.Name) < 0
        && (wordCount == 2 || Array.IndexOf(_withCount, command.Name) < 0);

    /// <summary>About how much work some bounded commands are that may use the same values.</summary>
    /// <param name="count">The number of commands.</param>
    /// <param name="bytes">The length of all arguments and values.</param>
    public static long OfMany(int count, long bytes) => count * (CallWork + bytes * ByteWork);

    /// <summary>Adds the room that a bounded command's writes take at most.</summary>
    /// <param name="command">The command, which writes.</param>
    /// <param name="request">The request.</param>
    /// <param name="keyCount">The number of its keys.</param>
    /// <param name="queuedBytes">The bytes of the requests up to it, which its keys may have by then.</param>
    /// <param name="isRecorded">Whether there is a journal.</param>
    /// <param name="keys">Counts the room.</param>
    /// <param name="context">The client.</param>
    public static void AddWrites(
        CommandDefinition command, in RespRequest request, int keyCount, long queuedBytes, bool isRecorded,
        DeclaredKeys keys, CommandContext context)
    {
        bool isFast = command.Work == CommandWork.Short;
        bool grows = (command.Flags & CommandFlags.DenyOom) != 0;
        int count = 2 * keyCount + request.Count / ElementsPerWrite;
        long bytes = grows ? request.Length : 0;
        if (!isFast && grows)
            bytes += queuedBytes + ReachOf(command, request);
        if (isRecorded)
            bytes += PackedBytesMax + (long)request.Count * ElementBytes;
        if ((grows && !isFast) || isRecorded)
        {
            var found = new KeyEnumerator(command, request, 0);
            while (found.MoveNext())
            {
                bool isLarge = IsLarge(request[found.Index], context, out long present);
                present = Math.Min(present, RoomBytesMax);
                bytes += (grows && !isFast) || isLarge ? present : 0;
                count += isLarge ? (int)(present / ElementsPerWrite) + 1 : 0;
            }
        }

        keys.AddWrites(count, Math.Max(bytes, 1));
    }

    /// <summary>
    /// Adds the room that a bounded command's writes take, whose arguments are not known yet: they are made of what is
    /// given, and a text that is longer than all of that twice finds no room.
    /// </summary>
    /// <param name="command">The command, which writes.</param>
    /// <param name="argumentCount">The number of its arguments.</param>
    /// <param name="keyCount">The number of its keys.</param>
    /// <param name="givenBytes">The length of all arguments and values.</param>
    /// <param name="isRecorded">Whether there is a journal.</param>
    /// <param name="keys">Counts the room.</param>
    public static void AddUnknown(
        CommandDefinition command, int argumentCount, int keyCount, long givenBytes, bool isRecorded,
        DeclaredKeys keys)
    {
        bool grows = (command.Flags & CommandFlags.DenyOom) != 0;
        int count = 2 * keyCount + (int)(givenBytes / ElementsPerWrite) + 1;
        long bytes = grows || isRecorded ? 2 * givenBytes + UnknownBytesMin : 1;
        keys.AddWrites(count, isRecorded ? bytes + PackedBytesMax + (long)argumentCount * ElementBytes : bytes);
    }

    // How long a string becomes whose bits or bytes have numbers: as long as the greatest number in the request says.
    private static long ReachOf(CommandDefinition command, in RespRequest request)
    {
        if (command.Name == "restore")
            return Math.Min((long)request.Length * RestoredPerByte, RoomBytesMax);
        bool isBits = command.Name is "setbit" or "bitfield";
        if (!isBits && command.Name != "setrange")
            return 0;
        long reach = 0;
        for (int i = 2; i < request.Count; i++)
        {
            if (request.IsElsewhere(i))
                continue;
            var word = request[i].TrimStart((byte)'#');
            if (RespInteger.TryParse(word, out long number) && number > reach)
                reach = number;
        }

        // "#7" of BITFIELD counts fields of up to eight bytes.
        long bytes = command.Name == "bitfield" ? Math.Min(reach, RoomBytesMax) * FieldBytesMax
            : isBits ? reach / BitsPerByte : reach;
        return Math.Min(bytes + FieldBytesMax, RoomBytesMax);
    }

    private static bool IsLarge(ReadOnlySpan<byte> key, CommandContext context, out long bytes)
    {
        context.Store.TryPeekInfo(key, out var info);
        bytes = Math.Max(info.Length, info.MemoryBytes);
        return bytes > LargeMin && info.Kind != EntryKind.String;
    }
}
