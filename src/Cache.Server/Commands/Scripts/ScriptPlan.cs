using Cache.Server.Clients;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Commands.Table;
using Cache.Server.Commands.Transactions;
using Cache.Server.Protocol;
using Cache.Server.Scripts;

namespace Cache.Server.Commands.Scripts;

/// <summary>What a simple script needs: which of its keys, and how much room. Immutable.</summary>
/// <remarks>
/// With it a script runs on the thread of the loop, with its keys locked, as EXEC runs what names all keys. A plan is
/// for scripts alone whose commands use declared keys and no others, whatever they are given.
/// </remarks>
internal sealed class ScriptPlan : IScriptPlan
{
    // What the script is given, arguments and values of its keys: as of a transaction that is short.
    private const long BytesMax = 64 << 10;

    // What texts may have become when the script ends: what they are joined to, or written behind, they may be
    // themselves, so that each time doubles them. Some tens of milliseconds, and hardly any script comes near.
    private const long MadeBytesMax = 4 << 20;

    // What is read of such texts, each time all of them, by calls and operators: to make a number of one takes some
    // nanoseconds a byte.
    private const long ReadBytesMax = 16 << 20;

    // A word that is known only when the script runs; as a number it is one.
    private static readonly byte[] _unknown = "0"u8.ToArray();

    // Without keys, and without much work.
    private static readonly string[] _withoutKeys = ["publish", "time", "echo", "ping"];

    private readonly List<Step> _steps = [];
    private readonly List<int> _keys = []; // Each once.
    private int _lastKey;
    private long _textBytes; // That stand in it.
    private int _reads; // How often it may read a whole text.
    private int _uses; // How often it may use the same value.
    private long _growth = 1; // How many times what it is given its texts may become.

    private ScriptPlan()
    {
    }

    /// <summary>Makes a plan.</summary>
    /// <param name="outline">What the script may do.</param>
    /// <param name="commands">The commands of the server.</param>
    /// <returns>Null: it has to be alone.</returns>
    public static ScriptPlan? Create(ScriptOutline outline, CommandTable commands)
    {
        var plan = new ScriptPlan
        {
            _growth = 1L << outline.Concatenations,
            _textBytes = outline.TextBytes,
            _reads = outline.Reads,
        };
        foreach (var call in outline.Calls)
        {
            if (!plan.TryAdd(call, commands) || plan._growth > MadeBytesMax)
                return null;
        }

        return plan;
    }

    /// <summary>Declares the keys of the script, and the room for what it writes.</summary>
    /// <param name="request">The request that runs it: name, script, number of keys, keys, arguments.</param>
    /// <param name="keyCount">The number of keys.</param>
    /// <param name="context">The client, outside of a section; its keys are replaced.</param>
    /// <returns>False: it is too much work for a loop, or a key that it uses is not there.</returns>
    public bool TryDeclare(in RespRequest request, int keyCount, CommandContext context)
    {
        var keys = context.Keys;
        keys.Clear();
        long given = request.Length + _textBytes;
        if (keyCount < _lastKey || given > BytesMax)
            return false;
        foreach (int key in _keys)
        {
            if (context.Store.TryPeekInfo(KeyOf(request, key), out var info))
                given += Math.Max(info.Length, info.MemoryBytes);
        }

        long madeBytesMax = Math.Min(MadeBytesMax, ReadBytesMax / Math.Max(_reads, 1));
        if (given > Math.Min(BytesMax, madeBytesMax / _growth) || TransactionWork.OfMany(_uses, given) > Turn.WorkMax)
            return false;
        foreach (var step in _steps)
            Declare(step, request, given, context);
        return true;
    }

    private static void Declare(in Step step, in RespRequest request, long givenBytes, CommandContext context)
    {
        var keys = context.Keys;
        bool isRecorded = context.Store.HasJournal;
        foreach (int key in step.Keys)
        {
            if (isRecorded)
                keys.Add(KeyOf(request, key), context.Store.Keyspace);
            else
                keys.AddOnce(KeyOf(request, key), context.Store.Keyspace);
        }

        if ((step.Command.Flags & CommandFlags.Write) != 0)
            TransactionWork.AddUnknown(step.Command, step.WordCount, step.Keys.Length, givenBytes, isRecorded, keys);
    }

    private static ReadOnlySpan<byte> KeyOf(in RespRequest request, int number) => request[2 + number];

    private bool TryAdd(ScriptedCall call, CommandTable commands)
    {
        var command = commands.Find(call.Words[0].Text);
        if (command is null || !MayPlan(command, call.Words.Count))
            return false;
        var text = new List<byte>();
        var ranges = new ArgumentRange[call.Words.Count];
        for (int i = 0; i < ranges.Length; i++)
        {
            byte[] word = call.Words[i].Text ?? _unknown;
            ranges[i] = new ArgumentRange(text.Count, word.Length);
            text.AddRange(word);
        }

        var keys = new List<int>();
        var found = new KeyEnumerator(command, new RespRequest(text.ToArray(), ranges), 0);
        _uses++;
        while (found.MoveNext())
        {
            int key = call.Words[found.Index].Key;
            _uses += keys.Contains(key) ? 1 : 0;
            keys.Add(key);
            if (!_keys.Contains(key))
                _keys.Add(key);
            _lastKey = Math.Max(_lastKey, key);
        }

        if ((command.Flags & CommandFlags.DenyOom) != 0)
            _growth *= 1 + CountMade(call);
        _steps.Add(new Step(command, ranges.Length, [.. keys]));
        return !keys.Contains(0) && (keys.Count > 0 || Array.IndexOf(_withoutKeys, command.Name) >= 0);
    }

    private static int CountMade(ScriptedCall call)
    {
        int count = 0;
        foreach (var word in call.Words)
            count += word.IsMade ? 1 : 0;
        return count;
    }

    // Only commands whose keys have fixed places: no other argument tells where they are.
    private static bool MayPlan(CommandDefinition command, int wordCount) =>
        command.Subcommands is null && command.Accepts(wordCount) && command.Role == TransactionRole.Keys
        && (command.Flags & CommandFlags.NoScript) == 0 && !command.NamesDatabase
        && TransactionWork.IsBounded(command, wordCount)
        && Array.TrueForAll(command.KeySpecifications, static one => one.HasFixedPlaces);

    private readonly record struct Step(CommandDefinition Command, int WordCount, int[] Keys);
}
