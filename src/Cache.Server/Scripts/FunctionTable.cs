using System.Diagnostics.CodeAnalysis;
using System.Text;

namespace Cache.Server.Scripts;

/// <summary>The libraries of a server, and their functions by name; never changed.</summary>
/// <remarks>As in Redis, libraries differ by the case of their names, and functions do not.</remarks>
internal sealed class FunctionTable
{
    // Longer names need an object to be looked up.
    private const int CharsOnStack = 128;

    private readonly Dictionary<string, FunctionLibrary> _libraries = new(StringComparer.Ordinal);
    private readonly Dictionary<string, LibraryFunction> _functions = new(StringComparer.OrdinalIgnoreCase);

    private FunctionTable()
    {
    }

    public static FunctionTable Empty { get; } = new();

    public IReadOnlyCollection<FunctionLibrary> Libraries => _libraries.Values;

    /// <summary>The texts of the libraries.</summary>
    public IEnumerable<byte[]> Codes => _libraries.Values.Select(static library => library.Code);

    public int FunctionCount => _functions.Count;

    /// <summary>The bytes of all texts.</summary>
    public long CodeBytes { get; private set; }

    /// <summary>The bytes of the texts of simple functions, which are kept besides.</summary>
    public long SimpleBytes { get; private set; }

    /// <summary>Makes a table.</summary>
    /// <param name="libraries">The libraries, of different names.</param>
    /// <param name="table">The table, if all functions have different names.</param>
    /// <returns>The first name that is there twice; null: there is none.</returns>
    public static string? TryMake(IEnumerable<FunctionLibrary> libraries, out FunctionTable table)
    {
        table = new FunctionTable();
        foreach (var library in libraries)
        {
            table._libraries.Add(library.Name, library);
            table.CodeBytes += library.Code.Length;
            table.SimpleBytes += library.Simple.Sum(static one => (long)(one?.Text.Text.Length ?? 0));
            for (int i = 0; i < library.Functions.Count; i++)
            {
                if (!table._functions.TryAdd(library.Functions[i].Name, new LibraryFunction(library, i)))
                    return library.Functions[i].Name;
            }
        }

        return null;
    }

    public bool Has(string library) => _libraries.ContainsKey(library);

    public bool Has(FunctionLibrary library) =>
        _libraries.TryGetValue(library.Name, out var present) && present == library;

    public bool TryFind(ReadOnlySpan<byte> name, [MaybeNullWhen(false)] out LibraryFunction function)
    {
        Span<char> chars = name.Length <= CharsOnStack ? stackalloc char[name.Length] : new char[name.Length];
        Encoding.Latin1.GetChars(name, chars);
        return _functions.GetAlternateLookup<ReadOnlySpan<char>>().TryGetValue(chars, out function);
    }
}
