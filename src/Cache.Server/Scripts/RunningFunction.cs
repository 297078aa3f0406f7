using Cache.Server.Protocol;

namespace Cache.Server.Scripts;

/// <summary>What FUNCTION STATS tells of the function that runs. Thread-safe.</summary>
/// <remarks>
/// Its request is copied when it begins: only that thread may read it, and it may be in a call that lasts.
/// </remarks>
internal sealed class RunningFunction
{
    // A longer request is not kept for the next one.
    private const int KeptBytesMax = 64 * 1024;

    private readonly Lock _gate = new();
    private byte[] _bytes = [];
    private int[] _lengths = [];
    private int _count;
    private string? _name;
    private long _begin;

    /// <summary>A function begins.</summary>
    public void Begin(string name, in RespRequest request)
    {
        lock (_gate)
        {
            int length = 0;
            for (int i = 0; i < request.Count; i++)
                length = checked(length + request[i].Length);
            if (_bytes.Length < length)
                _bytes = new byte[length];
            if (_lengths.Length < request.Count)
                _lengths = new int[request.Count];
            int end = 0;
            for (int i = 0; i < request.Count; i++)
            {
                request[i].CopyTo(_bytes.AsSpan(end));
                end += _lengths[i] = request[i].Length;
            }

            (_count, _name, _begin) = (request.Count, name, TimeProvider.System.GetTimestamp());
        }
    }

    /// <summary>It has ended.</summary>
    public void End()
    {
        lock (_gate)
        {
            _name = null;
            if (_bytes.Length > KeptBytesMax)
                _bytes = [];
            if (_lengths.Length > KeptBytesMax)
                _lengths = [];
        }
    }

    /// <summary>The function that runs.</summary>
    /// <param name="name">Its name.</param>
    /// <param name="command">The request that runs it.</param>
    /// <param name="duration">How long it has run.</param>
    /// <returns>False: none.</returns>
    public bool TryDescribe(out string name, out byte[][] command, out TimeSpan duration)
    {
        lock (_gate)
        {
            name = _name ?? "";
            command = [];
            duration = default;
            if (_name is null)
                return false;
            command = new byte[_count][];
            int end = 0;
            for (int i = 0; i < _count; i++)
            {
                command[i] = _bytes.AsSpan(end, _lengths[i]).ToArray();
                end += _lengths[i];
            }

            duration = TimeProvider.System.GetElapsedTime(_begin);
            return true;
        }
    }
}
