using System.Buffers.Binary;
using System.Net;
using Cache.Bench.Subjects;
using Cache.Testing;

namespace Cache.Bench.ServerLoad;

/// <summary>One client of a soak: pipelines of reads and writes, whose sizes and lives change with time.</summary>
internal sealed class SoakClient(IPEndPoint endPoint, int keys, Random random, CancellationToken stop)
{
    private const int Depth = 32;
    private const int KeyBytes = 16;
    private const int ValueBytesMax = 16 * 1024;

    // All sizes and lives are gone through twice a minute or more, so that one minute is like another.
    private const int BatchesPerPhase = 500;

    private readonly byte[] _value = new byte[ValueBytesMax];
    private readonly byte[][] _keys = [.. Enumerable.Range(0, Depth).Select(static _ => new byte[KeyBytes])];
    private readonly bool[] _isSet = new bool[Depth];
    private long _requests;

    public long Requests => Volatile.Read(ref _requests);

    /// <summary>Runs until it is stopped.</summary>
    /// <exception cref="WrongAnswerException">The value was another key's.</exception>
    /// <exception cref="InvalidDataException">Another answer was wrong.</exception>
    /// <exception cref="IOException">The server closed the connection.</exception>
    public Task RunAsync() => Task.Factory.StartNew(
        Run, CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default);

    private void Run()
    {
        using var connection = new RespConnection(endPoint.Address.ToString(), endPoint.Port);
        for (long batch = 0; !stop.IsCancellationRequested; batch++)
        {
            SendBatch(connection, (int)(batch / BatchesPerPhase));
            for (int i = 0; i < Depth; i++)
                ReadReply(connection, i);
            Volatile.Write(ref _requests, _requests + Depth);
        }
    }

    private void SendBatch(RespConnection connection, int phase)
    {
        int lengthMax = 64 << (phase % 6);
        int livesMs = 50 << (phase % 11);
        for (int i = 0; i < Depth; i++)
        {
            // The square favours low numbers: some keys are used often, most seldom.
            int key = (int)(random.NextDouble() * random.NextDouble() * keys);
            BinaryPrimitives.WriteInt32LittleEndian(_keys[i], key);
            _isSet[i] = random.Next(3) == 0;
            if (!_isSet[i])
            {
                connection.AddGet(_keys[i]);
                continue;
            }

            int length = random.Next(100) == 0 ? ValueBytesMax : random.Next(KeyBytes, lengthMax);
            _keys[i].CopyTo(_value, 0);
            if (random.Next(2) == 0)
                connection.AddSet(_keys[i], _value.AsSpan(0, length), 1 + random.Next(livesMs));
            else
                connection.AddSet(_keys[i], _value.AsSpan(0, length));
        }

        connection.Send();
    }

    // A value begins with its key, so that a foreign one is found out.
    private void ReadReply(RespConnection connection, int index)
    {
        if (_isSet[index])
            connection.ReadOk();
        else if (connection.ReadValue(out var value) && !value.StartsWith(_keys[index]))
            throw new WrongAnswerException($"The value of another key: {Convert.ToHexString(value[..KeyBytes])}.");
    }
}
