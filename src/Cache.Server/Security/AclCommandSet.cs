using System.Diagnostics;
using Cache.Server.Commands.Table;

namespace Cache.Server.Security;

/// <summary>A set of commands, one bit each, and whether it includes commands of later versions.</summary>
internal sealed class AclCommandSet
{
    private const int BitsPerWord = 64;

    private readonly ulong[] _words;

    public AclCommandSet() => _words = new ulong[(AclCommandTable.Default.All.Count / BitsPerWord) + 1];

    private AclCommandSet(AclCommandSet other)
    {
        _words = [.. other._words];
        HasFuture = other.HasFuture;
    }

    /// <summary>Whether +@all made it: then it is described by the commands that it lacks.</summary>
    public bool HasFuture { get; private set; }

    public bool this[int index]
    {
        get => (_words[(uint)index / BitsPerWord] >> (index % BitsPerWord) & 1) != 0;
        set
        {
            Debug.Assert(index < _words.Length * BitsPerWord);
            ref ulong word = ref _words[index / BitsPerWord];
            ulong bit = 1UL << (index % BitsPerWord);
            word = value ? word | bit : word & ~bit;
        }
    }

    public AclCommandSet Copy() => new(this);

    /// <summary>+@all and -@all.</summary>
    public void SetAll(bool value)
    {
        Array.Fill(_words, value ? ulong.MaxValue : 0);
        HasFuture = value;
    }

    /// <summary>Adds or removes a command with its subcommands.</summary>
    public void Set(AclCommand command, bool value)
    {
        this[command.Index] = value;
        foreach (var subcommand in command.Subcommands)
            this[subcommand.Index] = value;
    }

    /// <summary>Adds or removes all commands of a category.</summary>
    /// <remarks>As in Redis, a container includes its subcommands, whatever their own categories.</remarks>
    public void SetCategory(uint category, bool value)
    {
        foreach (var command in AclCommandTable.Default.All)
        {
            if ((command.Categories & category) != 0)
                Set(command, value);
        }
    }

    /// <summary>The numbers of a category's commands that are in the set and that are not, of Redis 7.0's.</summary>
    /// <remarks>The order in which its texts name categories follows from these, without later commands.</remarks>
    public (int On, int Off) CountCategory(uint category)
    {
        int on = 0;
        int off = 0;
        var table = AclCommandTable.Default;
        for (int i = 0; i < table.OfRedisCount; i++)
        {
            var command = table.All[i];
            if ((command.Categories & category) == 0)
                continue;
            if (this[command.Index])
                on++;
            else
                off++;
        }

        return (on, off);
    }
}
