namespace Cache.Bench.Subjects;

/// <summary>What is timed. A string key is given as a string; what a subject makes of it is its cost.</summary>
internal enum Operation
{
    GetText,
    GetTextDependent,
    GetTextHot,
    SetText,
    MixedTenPercentSet,
    MixedHalfSet,
    GetBytes,
    GetBytesBatch,
    SetBytesInPlace,
    SetBytesInPlaceBatch,
    SetBytesAppended,
    SetBytesAppendedBatch,
    GetIntoWriter,
    SetArray,
}
