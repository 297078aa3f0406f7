using System.Runtime.InteropServices;

namespace Cache.Server.Scripts;

/// <summary>
/// Remembers for a while which scripts and functions took long. Thread-safe; what it says may be wrong.
/// </summary>
/// <remarks>
/// Such a one is called on a worker's thread the next times, before it is tried on a loop again: there it would make
/// all clients of the loop wait, until that has another thread.
/// </remarks>
internal sealed class ScriptDurations
{
    /// <summary>What takes longer took long: a turn of a client, five times.</summary>
    public static readonly TimeSpan ShortMax = TimeSpan.FromMilliseconds(5);

    // The calls elsewhere after one that took long.
    private const byte CallsElsewhere = 64;

    private const int PlaceCount = 1024;

    // Two scripts may share a place, and calls at the same time may count as one.
    private readonly byte[] _callsElsewhere = new byte[PlaceCount];

    /// <summary>Whether the last calls were short, as far as it is known.</summary>
    /// <param name="name">The name of the function, or digest or text of the script.</param>
    public bool IsShort(ReadOnlySpan<byte> name)
    {
        ref byte calls = ref PlaceOf(name);
        if (calls == 0)
            return true;
        calls--;
        return false;
    }

    /// <summary>Notes how long a call took.</summary>
    public void Note(ReadOnlySpan<byte> name, TimeSpan duration)
    {
        if (duration > ShortMax)
            PlaceOf(name) = CallsElsewhere;
    }

    private ref byte PlaceOf(ReadOnlySpan<byte> name)
    {
        // Enough of a digest; names and texts that end alike share a place.
        ReadOnlySpan<byte> end = name[^Math.Min(name.Length, sizeof(ulong))..];
        Span<byte> bytes = stackalloc byte[sizeof(ulong)];
        bytes.Clear();
        end.CopyTo(bytes);
        uint hash = (uint)HashCode.Combine(MemoryMarshal.Read<ulong>(bytes), name.Length);
        return ref _callsElsewhere[hash % PlaceCount];
    }
}
