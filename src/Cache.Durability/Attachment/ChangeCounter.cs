using System.Runtime.InteropServices;
using Cache.Core.Changes;

namespace Cache.Durability.Attachment;

/// <summary>Counts the changes that writes make.</summary>
/// <remarks>Threads add to one of several counters, each on its own cache lines; a sum may be a moment old.</remarks>
internal sealed class ChangeCounter : ChangeObserver
{
    private const int StripesMax = 64;

    private readonly Stripe[] _stripes = new Stripe[StripesMax];

    public long Sum
    {
        get
        {
            long sum = 0;
            for (int i = 0; i < _stripes.Length; i++)
                sum += Volatile.Read(ref _stripes[i].Count);
            return sum;
        }
    }

    public void Add() => Interlocked.Increment(ref _stripes[Environment.CurrentManagedThreadId % StripesMax].Count);

    public override void Note(in ChangeNote note)
    {
        if (note.Cause is not (ChangeCause.Expired or ChangeCause.Evicted))
            Add();
    }

    public override void Drain()
    {
    }

    [StructLayout(LayoutKind.Explicit, Size = 128)]
    private struct Stripe
    {
        [FieldOffset(64)]
        public long Count;
    }
}
