using System.Numerics;

namespace Cache.Server.Commands.Dispatch;

/// <summary>
/// The contexts in which requests are executed, lent to a connection for a read: an idle one has none. Thread-safe.
/// </summary>
/// <remarks>
/// One place for each thread that executes at once. A thread tries its own place first: one exchange takes a context,
/// another returns it, and mostly it is the same context, with its memory still in the processor's cache.
/// </remarks>
internal sealed class CommandContextPool(ServerState server)
{
    // Two places are on different cache lines, so that threads do not share them.
    private const int Stride = 128 / sizeof(long);

    // For loops and busy threads of the pool; with few processors there are still some of both.
    private const int PlacesMin = 8;

    private readonly CommandContext?[] _places =
        new CommandContext?[Stride * (int)BitOperations.RoundUpToPowerOf2(
            (uint)Math.Max(PlacesMin, 2 * Environment.ProcessorCount))];

    private int Mask => _places.Length - Stride;

    private int OwnPlace => (Environment.CurrentManagedThreadId * Stride) & Mask;

    /// <summary>A context for a client, for the caller only until it is returned.</summary>
    public CommandContext Borrow()
    {
        int own = OwnPlace;
        for (int i = 0; i < _places.Length; i += Stride)
        {
            if (Interlocked.Exchange(ref _places[(own + i) & Mask], null) is { } context)
                return context;
        }

        var made = new CommandContext(server);
        server.Statistics.Add(made.Counters);
        return made;
    }

    /// <summary>Returns a context that is no longer used.</summary>
    public void GiveBack(CommandContext context)
    {
        int own = OwnPlace;
        for (int i = 0; i < _places.Length; i += Stride)
        {
            if (Interlocked.CompareExchange(ref _places[(own + i) & Mask], context, null) is null)
                return;
        }

        server.Databases.Remove(context);
        server.Statistics.Fold(context.Counters);
    }
}
