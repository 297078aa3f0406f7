namespace Cache.Server.Commands.Sorting;

/// <summary>Why there is no result.</summary>
internal enum SortFault
{
    None,

    /// <summary>The key is of a kind that is not sorted.</summary>
    OtherKind,

    /// <summary>A weight is no number.</summary>
    NoNumber,

    /// <summary>Elements, weights or results are more than <see cref="SortTexts.BytesMax"/>.</summary>
    TooLong,
}
