using System.Runtime.CompilerServices;
using Cache.Core;
using Cache.Server.Commands.Table;
using Cache.Server.Protocol;
using Cache.Server.Statistics;

namespace Cache.Server.Commands.Dispatch;

/// <summary>Counts the keys of sampled requests.</summary>
internal static class SampledCalls
{
    // Of a request with more keys the first ones are counted: a sample stays short.
    private const int KeysMax = 64;

    /// <summary>Counts the keys of a request that was executed.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)] // Rare.
    public static void Take(CommandDefinition command, in RespRequest request, CommandContext context)
    {
        context.TakeSample(count: 1);
        if (command.KeySpecifications.Length == 0)
            return;
        bool isWrite = (command.Flags & CommandFlags.Write) != 0;
        AddKeys(command, request, isWrite, context);
        var keys = new KeyEnumerator(command, request, 0);
        for (int i = 0; i < KeysMax && keys.MoveNext(); i++)
        {
            if (!request.IsElsewhere(keys.Index))
                AddPrefix(request[keys.Index], isWrite, context);
        }
    }

    /// <summary>Counts the key of a request.</summary>
    public static void Add(ReadOnlySpan<byte> key, bool isWrite, CommandContext context)
    {
        var samples = context.Counters.Keys;
        if (samples.TryBegin(context.CallEnd))
        {
            samples.Add(key, context.Client.Database, isWrite);
            samples.End();
        }

        AddPrefix(key, isWrite, context);
    }

    private static void AddKeys(
        CommandDefinition command, in RespRequest request, bool isWrite, CommandContext context)
    {
        var samples = context.Counters.Keys;
        if (!samples.TryBegin(context.CallEnd))
            return;
        try
        {
            var keys = new KeyEnumerator(command, request, 0);
            for (int i = 0; i < KeysMax && keys.MoveNext(); i++)
            {
                // The store may have freed an argument that lay elsewhere; no key is that long.
                if (!request.IsElsewhere(keys.Index))
                    samples.Add(request[keys.Index], context.Client.Database, isWrite);
            }
        }
        finally
        {
            samples.End();
        }
    }

    // What is there after the request tells what it found: a sample need not be exact. The store is asked before the
    // gate is taken: that may wait for a thread which holds the entry.
    private static void AddPrefix(ReadOnlySpan<byte> key, bool isWrite, CommandContext context)
    {
        if (!TryPeek(key, context.Store, out bool isThere, out int length))
            return;
        double weight = context.Counters.Keys.GapMean;
        var figures = new PrefixFigures
        {
            Reads = isWrite ? 0 : weight,
            Hits = isWrite || !isThere ? 0 : weight,
            Writes = isWrite ? weight : 0,
            Traffic = weight * length,
        };
        context.Counters.Prefixes.Add(key, context.Server.Settings.PrefixSeparator, figures, context.CallEnd);
    }

    private static bool TryPeek(ReadOnlySpan<byte> key, CacheStore store, out bool isThere, out int length)
    {
        (isThere, length) = (false, 0);
        try
        {
            isThere = store.TryPeekInfo(key, out var info);
            length = info.Length;
            return true;
        }
        catch (ObjectDisposedException)
        {
            return false; // The request's error has told it.
        }
    }
}
