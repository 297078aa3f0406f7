using System.Runtime.CompilerServices;
using Cache.Server.Commands.Table;
using Cache.Server.Protocol;

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
        var samples = context.Counters.Keys;
        if (command.KeySpecifications.Length == 0 || !samples.TryBegin(context.CallEnd))
            return;
        try
        {
            bool isWrite = (command.Flags & CommandFlags.Write) != 0;
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

    /// <summary>Counts the key of a request.</summary>
    public static void Add(ReadOnlySpan<byte> key, bool isWrite, CommandContext context)
    {
        var samples = context.Counters.Keys;
        if (!samples.TryBegin(context.CallEnd))
            return;
        try
        {
            samples.Add(key, context.Client.Database, isWrite);
        }
        finally
        {
            samples.End();
        }
    }
}
