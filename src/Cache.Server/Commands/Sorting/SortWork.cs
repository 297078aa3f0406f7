using Cache.Core;
using Cache.Server.Protocol;

namespace Cache.Server.Commands.Sorting;

/// <summary>What SORT makes of elements that were read.</summary>
internal static class SortWork
{
    /// <summary>Makes the result that is stored.</summary>
    public static SortFault Make(
        in RespRequest request, scoped in SortOptions options, EntryKind kind, CacheStore store, SortTexts elements,
        SortTexts output)
    {
        output.Clear();
        var fault = Order(elements, options, kind, store, out var order);
        if (fault != SortFault.None)
            return fault;
        var (start, end) = Limits(options, elements.Count);
        for (int i = start; i < end && !output.IsTooLong; i++)
        {
            if (options.Gets == 0)
                output.Add(elements[order[i]]);
            for (int at = SortOptions.BeforeFirst; SortOptions.TryMoveNextGet(request, ref at) && !output.IsTooLong;)
                new SortPattern(request[at]).Read(store, elements[order[i]], output);
        }

        order.Dispose();
        return output.IsTooLong ? SortFault.TooLong : SortFault.None;
    }

    /// <summary>Puts the elements into their order, which the caller disposes of if there is no fault.</summary>
    public static SortFault Order(
        SortTexts elements, scoped in SortOptions options, EntryKind kind, CacheStore store, out SortOrder order)
    {
        bool hasWeights = options.HasWeights;
        bool isAlphabetical = options.IsAlphabetical;
        if (options.IsUnsorted)
        {
            if (SortSource.IsOrdered(kind) || !options.Stores)
            {
                if (options.IsDescending && SortSource.IsOrdered(kind))
                    elements.Reverse();
                order = SortOrder.Present(elements);
                return SortFault.None;
            }

            (hasWeights, isAlphabetical) = (false, true); // What is stored has an order that does not vary.
        }

        if (!hasWeights)
            return Order(elements, elements, isAlphabetical, options, out order);
        order = default;
        using var weights = new SortTexts();
        var pattern = new SortPattern(options.Weights);
        for (int i = 0; i < elements.Count && !weights.IsTooLong; i++)
            pattern.Read(store, elements[i], weights);
        return weights.IsTooLong ? SortFault.TooLong : Order(elements, weights, isAlphabetical, options, out order);
    }

    /// <summary>The part that is replied: of a start behind the last element, none are left.</summary>
    public static (int Start, int End) Limits(scoped in SortOptions options, int count)
    {
        long start = Math.Clamp(options.Start, 0, count);
        long end = options.Count < 0 ? count : Math.Min(start + Math.Min(options.Count, count), count);
        return ((int)start, (int)end);
    }

    private static SortFault Order(
        SortTexts elements, SortTexts weights, bool isAlphabetical, scoped in SortOptions options, out SortOrder order)
    {
        if (isAlphabetical)
        {
            order = SortOrder.ByTexts(elements, weights, isWhole: options.Stores, options.IsDescending);
            return SortFault.None;
        }

        if (SortOrder.TryByNumbers(elements, weights, options.IsDescending, out order))
            return SortFault.None;
        order.Dispose();
        return SortFault.NoNumber;
    }
}
