using Cache.Bench.Subjects;
using Cache.Bench.Verbs;

namespace Cache.Bench.Tests;

/// <summary>The distributed caches that are measured answer rightly, and wrong answers are counted.</summary>
public sealed class DistributedSubjectTests
{
    private const int Keys = KeyBlock.Count;
    private const int ValueLength = 64;

    [Theory]
    [InlineData("door")]
    [InlineData("memorycache")]
    public void GetIntoWriter_KeysThatWereLoaded_AreRight(string name)
    {
        using var subject = SubjectOptions.CreateLoaded(name, Keys, ValueLength);
        Assert.Equal(0, subject.Run(Operation.GetIntoWriter, CreateBlock(Keys)));
    }

    [Theory]
    [InlineData("door")]
    [InlineData("memorycache")]
    public void GetIntoWriter_KeysThatAreMissing_AreWrong(string name)
    {
        using var subject = SubjectOptions.CreateLoaded(name, keys: 1, ValueLength);
        var block = CreateBlock(Keys);
        int present = block.Texts.Count(static text => text == BenchKey.ToText(0));
        Assert.Equal(KeyBlock.Count - present, subject.Run(Operation.GetIntoWriter, block));
    }

    [Theory]
    [InlineData("door")]
    [InlineData("memorydistributed")]
    public void SetArray_ReplacesValues(string name)
    {
        using var subject = SubjectOptions.CreateLoaded(name, Keys, 2 * ValueLength);
        var block = CreateBlock(Keys);
        Assert.Equal(0, subject.Run(Operation.SetArray, block));
        Assert.Equal(0, subject.Run(Operation.MixedHalfSet, block));
        Assert.Equal(Keys, subject.Count);
    }

    [Fact]
    public void WhatASubjectHasNot_IsNoAnswer()
    {
        using var subject = SubjectOptions.CreateLoaded("memorydistributed", keys: 1, ValueLength);
        Assert.True(subject.Run(Operation.GetIntoWriter, CreateBlock(1)) < 0);
        Assert.True(subject.Run(Operation.GetBytesBatch, CreateBlock(1)) < 0);
    }

    [Fact]
    public void Doors_AllocateNothing_WhereACallerReusesWhatHeHas()
    {
        using var subject = SubjectOptions.CreateLoaded("door", Keys, ValueLength);
        var block = CreateBlock(Keys);
        foreach (var operation in (Operation[])[Operation.GetIntoWriter, Operation.SetArray])
        {
            long least = long.MaxValue;
            for (int i = 0; i < 5; i++)
            {
                long before = GC.GetAllocatedBytesForCurrentThread();
                subject.Run(operation, block);
                least = Math.Min(least, GC.GetAllocatedBytesForCurrentThread() - before);
            }

            Assert.Equal(0, least);
        }
    }

    private static KeyBlock CreateBlock(int keys)
    {
        var block = new KeyBlock(new Random(1), keys, ValueLength, 2 * ValueLength);
        block.CreateArrays();
        return block;
    }
}
