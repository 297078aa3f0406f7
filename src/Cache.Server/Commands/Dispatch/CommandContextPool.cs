using System.Numerics;

namespace Cache.Server.Commands.Dispatch;

/// <summary>
/// What requests are executed with, lent to a connection for a read: one at rest has none. Thread-safe.
/// </summary>
/// <remarks>
/// Places for as many as threads execute at once, of which a thread looks at its own first: a place is emptied and
/// filled by one exchange each, and mostly it is the same context that comes and goes, its memory still near.
/// </remarks>
internal sealed class CommandContextPool(ServerState server)
{
    // A multiple of a line between two places, so that threads do not wait for each other's.
    private const int Stride = 128 / sizeof(long);

    // Loops and threads of the pool at work; with fewer processors there are still some of either.
    private const int PlacesMin = 8;

    private readonly CommandContext?[] _places =
        new CommandContext?[Stride * (int)BitOperations.RoundUpToPowerOf2(
            (uint)Math.Max(PlacesMin, 2 * Environment.ProcessorCount))];

    private int Mask => _places.Length - Stride;

    private int OwnPlace => (Environment.CurrentManagedThreadId * Stride) & Mask;

    /// <summary>A context for a client, for the caller alone until it is given back.</summary>
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

    /// <summary>Takes back what was borrowed and is no longer used.</summary>
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
