using System.Reflection;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Cache.Core.Layout;

namespace Cache.Core.Tests.Sharing;

/// <summary>
/// What a store's memory holds at a moment: each field of each object, and the native memory by lines.
/// </summary>
/// <remarks>
/// Found by reflection, from the roots and from the library's static fields, so that a field that is added is looked at
/// too. Not looked at: thread-static fields, and the framework's objects other than collections and locks.
/// </remarks>
internal sealed class StoreImage
{
    /// <summary>The bytes that cores hand to each other.</summary>
    public const int LineBytes = 64;

    // Of each reservation: more than a store of the least limit touches.
    private const int CopiedBytes = 4 << 20;

    private const BindingFlags Instance =
        BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.DeclaredOnly;

    private const BindingFlags Static =
        BindingFlags.Static | BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.DeclaredOnly;

    private readonly Dictionary<string, object> _fields = [];
    private readonly Dictionary<string, byte[]> _native = [];
    private readonly HashSet<object> _seen = new(ReferenceEqualityComparer.Instance);
    private readonly Queue<(object Object, string Path)> _queue = new();

    private StoreImage()
    {
    }

    /// <summary>The reservations that were found, by their paths.</summary>
    public Dictionary<string, NativeReservation> Reservations { get; } = [];

    public static StoreImage Of(params object[] roots)
    {
        var image = new StoreImage();
        foreach (object root in roots)
            image.Enqueue(root, root.GetType().Name);
        foreach (var type in typeof(CacheStore).Assembly.GetTypes())
        {
            foreach (var field in type.ContainsGenericParameters ? [] : type.GetFields(Static))
            {
                if (!field.IsLiteral && !field.IsDefined(typeof(ThreadStaticAttribute)))
                    image.Add(field.FieldType, () => field.GetValue(null), $"{type.Name}.{field.Name}");
            }
        }

        while (image._queue.TryDequeue(out var next))
            image.Visit(next.Object, next.Path);
        return image;
    }

    /// <summary>The fields, elements and lines that differ from an earlier image, by name.</summary>
    public List<string> ChangedSince(StoreImage before)
    {
        List<string> changed = [];
        foreach (var (path, value) in _fields)
        {
            if (value is Array array)
                AddChanged(changed, path, array, before._fields.GetValueOrDefault(path) as Array);
            else if (!value.Equals(before._fields.GetValueOrDefault(path)))
                changed.Add(path);
        }

        foreach (var (path, bytes) in _native)
        {
            var old = before._native[path];
            for (int line = 0; line < bytes.Length; line += LineBytes)
            {
                int length = Math.Min(LineBytes, bytes.Length - line);
                if (!bytes.AsSpan(line, length).SequenceEqual(old.AsSpan(line, length)))
                    changed.Add($"{path} line {line / LineBytes}");
            }
        }

        return changed;
    }

    private static void AddChanged(List<string> changed, string path, Array array, Array? old)
    {
        if (old is null || old.Length != array.Length)
        {
            changed.Add(path);
            return;
        }

        for (int i = 0; i < array.Length; i++)
        {
            if (!array.GetValue(i)!.Equals(old.GetValue(i)))
                changed.Add($"{path}[{i}]");
        }
    }

    private static bool IsLookedAt(Type type) =>
        !typeof(Delegate).IsAssignableFrom(type)
        && (type.IsArray || type == typeof(Lock) || type.Namespace is { } space
            && (space.StartsWith("Cache.Core", StringComparison.Ordinal)
                || space.StartsWith("System.Collections", StringComparison.Ordinal)));

    private static bool IsPlain(Type type) => type.IsPrimitive || type.IsEnum || type == typeof(decimal);

    private void Enqueue(object value, string path)
    {
        if (IsLookedAt(value.GetType()) && _seen.Add(value))
            _queue.Enqueue((value, path));
    }

    private void Visit(object value, string path)
    {
        if (value is NativeReservation reservation)
            AddNative(reservation, path);
        if (value is not Array array)
        {
            VisitFields(value, path);
            return;
        }

        var element = array.GetType().GetElementType()!;
        if (element.IsPointer || array.Rank != 1)
            return;
        if (IsPlain(element))
        {
            _fields[path] = array.Clone();
            return;
        }

        for (int i = 0; i < array.Length; i++)
            Add(element, () => array.GetValue(i), $"{path}[{i}]");
    }

    private void VisitFields(object value, string path)
    {
        for (var type = value.GetType(); type is not null && type != typeof(object); type = type.BaseType)
        {
            foreach (var field in type.GetFields(Instance))
                Add(field.FieldType, () => field.GetValue(value), $"{path}.{field.Name}");
        }
    }

    private void Add(Type type, Func<object?> get, string path)
    {
        if (type.IsPointer || type.IsByRefLike || type.IsFunctionPointer)
            return;
        if (get() is not { } value)
            return;
        if (IsPlain(value.GetType()) && type.IsValueType)
        {
            _fields[path] = value;
        }
        else if (type.IsValueType)
        {
            VisitFields(value, path);
        }
        else
        {
            _fields[path] = RuntimeHelpers.GetHashCode(value); // Which object it is.
            Enqueue(value, path);
        }
    }

    private void AddNative(NativeReservation reservation, string path)
    {
        Reservations[path] = reservation;
        byte[] bytes = new byte[Math.Min(CopiedBytes, reservation.Length)];
        Marshal.Copy((nint)reservation.Address, bytes, 0, bytes.Length);
        _native[path] = bytes;
    }
}
