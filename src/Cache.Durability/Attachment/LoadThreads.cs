using System.Runtime.ExceptionServices;
using Cache.Durability.Recovery;

namespace Cache.Durability.Attachment;

/// <summary>The threads of a load: each applies records to the store while the next blocks are read.</summary>
/// <remarks>
/// Batches wait in a ring. One for a single thread is taken by the next free one; one for all is applied by each, which
/// skips the keys of the others: so the records of a key are applied by one thread, in order. Batches are taken in
/// order, so the error of the lowest record is found, whichever thread finds one first.
/// </remarks>
internal sealed class LoadThreads : IDisposable
{
    // Enough that neither side waits for the other at each batch: 4 MB with batches of a block.
    private const int BatchCount = 16;

    private readonly object _gate = new();
    private readonly LoadBatch[] _batches = new LoadBatch[BatchCount];
    private readonly RecordInserter[] _inserters;
    private readonly Thread[] _threads;
    private long _published;
    private bool _isClosed;

    // The lowest record that was refused, and its error.
    private (long Batch, int Block, int Position) _failedAt = (long.MaxValue, 0, 0);
    private Exception? _failure;

    /// <param name="inserters">One for each thread.</param>
    /// <param name="batchBytes">The usual bytes of a batch.</param>
    public LoadThreads(RecordInserter[] inserters, int batchBytes)
    {
        _inserters = inserters;
        for (int i = 0; i < _batches.Length; i++)
            _batches[i] = new LoadBatch(batchBytes);
        _threads = new Thread[inserters.Length];
        for (int i = 0; i < _threads.Length; i++)
        {
            int index = i;
            _threads[i] = new Thread(() => Run(index)) { IsBackground = true, Name = "load" };
            _threads[i].Start();
        }
    }

    /// <summary>Waits for an empty batch.</summary>
    /// <exception cref="RecoveryRefusedException">A record was refused.</exception>
    public LoadBatch Take()
    {
        LoadBatch batch;
        lock (_gate)
        {
            batch = _batches[_published % BatchCount];
            while (batch.Left != 0)
                Monitor.Wait(_gate);
            batch.Number = _published;
        }

        ThrowIfFailed();
        batch.Clear();
        return batch;
    }

    /// <summary>Lets the threads apply the batch that was taken last.</summary>
    public void Publish(LoadBatch batch)
    {
        lock (_gate)
        {
            batch.Left = batch.IsForAll ? _threads.Length : 1;
            _published++;
            Monitor.PulseAll(_gate);
        }
    }

    /// <summary>Waits until all published batches are applied.</summary>
    /// <exception cref="RecoveryRefusedException">A record was refused.</exception>
    public void Drain()
    {
        lock (_gate)
            WaitForAll();
        ThrowIfFailed();
    }

    public void Dispose()
    {
        lock (_gate)
        {
            _isClosed = true;
            Monitor.PulseAll(_gate);
        }

        foreach (var thread in _threads)
            thread.Join();
    }

    // The caller has the gate.
    private void WaitForAll()
    {
        foreach (var batch in _batches)
        {
            while (batch.Left != 0)
                Monitor.Wait(_gate);
        }
    }

    // A lower record may be refused yet.
    private void ThrowIfFailed()
    {
        Exception? failure;
        lock (_gate)
        {
            if (_failure == null)
                return;
            WaitForAll();
            failure = _failure;
        }

        ExceptionDispatchInfo.Throw(failure);
    }

    private void Run(int index)
    {
        var replay = new RecordReplay(_inserters[index]);
        for (long next = 0; TryTake(ref next, out var batch);)
        {
            _inserters[index].Share = batch.IsForAll ? new KeyShare(index, _threads.Length) : default;
            Apply(batch, _inserters[index], replay);
            lock (_gate)
            {
                batch.Left--;
                if (batch.Left == 0)
                    Monitor.PulseAll(_gate);
            }
        }
    }

    private bool TryTake(ref long next, out LoadBatch batch)
    {
        lock (_gate)
        {
            while (!_isClosed)
            {
                if (next == _published)
                {
                    Monitor.Wait(_gate);
                    continue;
                }

                // One that was reused meanwhile was not for this thread.
                next = Math.Max(next, _published - BatchCount);
                batch = _batches[next % BatchCount];
                next++;
                if (batch.Left == 0 || (!batch.IsForAll && batch.IsTaken))
                    continue;
                batch.IsTaken = true;
                return true;
            }
        }

        batch = _batches[0];
        return false;
    }

    private void Apply(LoadBatch batch, RecordInserter inserter, RecordReplay replay)
    {
        int block = 0;
        try
        {
            for (; block < batch.Blocks.Count && !IsBehindFailure(batch); block++)
                inserter.Apply(batch, batch.Blocks[block], replay);
        }
#pragma warning disable CA1031 // It is thrown again on the thread that reads.
        catch (Exception failure)
#pragma warning restore CA1031
        {
            Fail((batch.Number, block, replay.Position), failure);
        }
    }

    private bool IsBehindFailure(LoadBatch batch)
    {
        lock (_gate)
            return _isClosed || batch.Number > _failedAt.Batch;
    }

    private void Fail((long Batch, int Block, int Position) place, Exception failure)
    {
        lock (_gate)
        {
            if (_failure == null || place.CompareTo(_failedAt) < 0)
                (_failedAt, _failure) = (place, failure);
        }
    }
}
