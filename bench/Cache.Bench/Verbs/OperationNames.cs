using Cache.Bench.Subjects;

namespace Cache.Bench.Verbs;

/// <summary>Operations in words.</summary>
internal static class OperationNames
{
    public static string ToText(this Operation operation) => operation switch
    {
        Operation.GetText => "GET hit, string key",
        Operation.GetTextDependent => "GET hit, string key, dependent",
        Operation.GetTextHot => "GET hit, 16 hot string keys",
        Operation.SetText => "SET existing, string key",
        Operation.MixedTenPercentSet => "90 % GET, 10 % SET, string key",
        Operation.MixedHalfSet => "50 % GET, 50 % SET, string key",
        Operation.GetBytes => "GET hit, byte key, one by one",
        Operation.GetBytesBatch => "GET hit, byte key, batch of 16",
        Operation.SetBytesInPlace => "SET in place, byte key, one by one",
        Operation.SetBytesInPlaceBatch => "SET in place, byte key, batch of 16",
        Operation.SetBytesAppended => "SET other size, byte key, one by one",
        Operation.SetBytesAppendedBatch => "SET other size, byte key, batch of 16",
        Operation.GetIntoWriter => "hit into a writer, string key",
        Operation.SetArray => "set of an array, existing string key",
        _ => throw new ArgumentOutOfRangeException(nameof(operation)),
    };

    /// <summary>Whether it is an operation of the framework's interfaces, and not of a store.</summary>
    public static bool IsOfDoor(this Operation operation) =>
        operation is Operation.GetIntoWriter or Operation.SetArray;

    public static bool IsSetOfOtherSize(this Operation operation) =>
        operation is Operation.SetBytesAppended or Operation.SetBytesAppendedBatch;
}
