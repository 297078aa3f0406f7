using System.Buffers.Binary;
using System.Diagnostics;
using System.Numerics;
using System.Text;

namespace Cache.Server.Commands.Table;

/// <summary>Finds a command by the bytes of its name, in any case of letters, without allocating.</summary>
/// <remarks>
/// Algorithm: an open hash table, at most a quarter full, on the length and the first 8 bytes in upper case; the rest
/// of longer names is compared too. Immutable.
/// </remarks>
internal sealed class CommandLookup
{
    private const int PrefixBytes = 8;

    // 2^64 divided by the golden ratio: spreads prefixes that differ in few bits over the high bits.
    private const ulong Spread = 0x9E3779B97F4A7C15;

    private readonly Slot[] _slots;
    private readonly int _shift;

    /// <param name="commands">The commands, found by their own names.</param>
    public CommandLookup(IReadOnlyList<CommandDefinition> commands)
        : this(NamesOf(commands))
    {
    }

    /// <param name="commands">The commands, found by the given names.</param>
    public CommandLookup(List<(byte[] Name, CommandDefinition Command)> commands)
    {
        Commands = commands.ConvertAll(static each => each.Command);
        _slots = new Slot[BitOperations.RoundUpToPowerOf2((uint)(commands.Count * 4) + 1)];
        _shift = 64 - BitOperations.Log2((uint)_slots.Length);
        foreach (var (name, command) in commands)
            Add(name, command);
    }

    /// <summary>All commands, in the order of the table.</summary>
    public IReadOnlyList<CommandDefinition> Commands { get; }

    /// <summary>The command of that name; null if there is none.</summary>
    public CommandDefinition? Find(ReadOnlySpan<byte> name)
    {
        ulong prefix = ReadUpperPrefix(name);
        var slots = _slots;
        for (int i = FirstSlot(prefix, name.Length); ; i = (i + 1) & (slots.Length - 1))
        {
            ref readonly var slot = ref slots[i];
            if (slot.Command is null)
                return null;
            if (slot.Prefix == prefix && slot.Length == name.Length
                && (name.Length <= PrefixBytes || HasTail(slot.Name, name)))
                return slot.Command;
        }
    }

    private static List<(byte[] Name, CommandDefinition Command)> NamesOf(IReadOnlyList<CommandDefinition> commands)
    {
        var names = new List<(byte[] Name, CommandDefinition Command)>(commands.Count);
        foreach (var command in commands)
            names.Add((command.LastName.ToArray(), command));
        return names;
    }

    private static bool HasTail(byte[] slotName, ReadOnlySpan<byte> name) =>
        Ascii.EqualsIgnoreCase(slotName.AsSpan(PrefixBytes), name[PrefixBytes..]);

    private void Add(byte[] name, CommandDefinition command)
    {
        Debug.Assert(Find(name) is null);
        ulong prefix = ReadUpperPrefix(name);
        int i = FirstSlot(prefix, name.Length);
        while (_slots[i].Command is not null)
            i = (i + 1) & (_slots.Length - 1);
        _slots[i] = new Slot(prefix, name.Length, name, command);
    }

    private int FirstSlot(ulong prefix, int length) => (int)(((prefix ^ (ulong)length) * Spread) >> _shift);

    private static ulong ReadUpperPrefix(ReadOnlySpan<byte> name) => ToUpper(name.Length switch
    {
        >= PrefixBytes => BinaryPrimitives.ReadUInt64LittleEndian(name),
        >= 4 => BinaryPrimitives.ReadUInt32LittleEndian(name)
            | ((ulong)BinaryPrimitives.ReadUInt32LittleEndian(name[^4..]) << (8 * (name.Length - 4))),
        3 => name[0] | ((ulong)name[1] << 8) | ((ulong)name[2] << 16),
        2 => name[0] | ((ulong)name[1] << 8),
        1 => name[0],
        _ => 0,
    });

    // Clears bit 5 of each byte from 'a' to 'z', eight at a time; other bytes, also those above 127, stay as they are.
    private static ulong ToUpper(ulong bytes)
    {
        const ulong Ones = 0x0101010101010101;
        ulong low = bytes & (Ones * 0x7F);
        ulong aboveZ = low + (Ones * (0x7F - 'z'));
        ulong fromA = low + (Ones * (0x80 - 'a'));
        ulong letters = (fromA ^ aboveZ) & ~bytes & (Ones * 0x80);
        return bytes - (letters >> 2);
    }

    private readonly record struct Slot(ulong Prefix, int Length, byte[] Name, CommandDefinition? Command);
}
