using Cache.Durability.Catalog;
using Cache.Durability.Files;

namespace Cache.Durability;

/// <remarks>
/// The functions of a server, as a payload that only the server reads: they are on the disk before a change of them is
/// answered, in every mode that keeps files.
/// </remarks>
public sealed partial class CacheDurability
{
    private readonly Lock _functionsGate = new();

    // Both under the gate.
    private byte[]? _functions;
    private bool _writesFunctions;

    /// <summary>Called at the end of the first load with the functions that are kept; it may refuse them.</summary>
    internal Action<byte[]>? FunctionsLoaded { get; set; }

    /// <summary>The functions; null: there are none, or nothing is loaded yet.</summary>
    internal byte[]? Functions
    {
        get
        {
            lock (_functionsGate)
                return _functions;
        }
    }

    /// <summary>Keeps functions in place of those before.</summary>
    /// <returns>Whether they are durable; if not they are changed all the same.</returns>
    /// <exception cref="IOException">They cannot be written: nothing was changed.</exception>
    internal bool KeepFunctions(byte[] payload)
    {
        lock (_functionsGate)
        {
            bool isDurable =
                !_writesFunctions || FunctionsFile.Write(new SystemDirectory(_options.Directory), payload);
            _functions = payload;
            return isDurable;
        }
    }

    private void LoadFunctions()
    {
        byte[]? loaded = FunctionsFile.Read(new SystemDirectory(_options.Directory));
        lock (_functionsGate)
            (_functions, _writesFunctions) = (loaded, true);
        if (loaded is not null)
            FunctionsLoaded?.Invoke(loaded);
    }

    // Into a folder that is new.
    private void BeginFunctions()
    {
        lock (_functionsGate)
        {
            _writesFunctions = true;
            if (_functions is { } functions
                && !FunctionsFile.Write(new SystemDirectory(_options.Directory), functions))
            {
                throw new IOException("the folder of the functions cannot be synced");
            }
        }
    }

    // Another process may have the folder soon.
    private void EndFunctions()
    {
        lock (_functionsGate)
            _writesFunctions = false;
    }
}
