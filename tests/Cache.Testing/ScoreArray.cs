using System.Text;
using Cache.Core;

namespace Cache.Testing;

/// <summary>Members with their scores.</summary>
internal readonly struct ScoreArray(params (string Member, double Score)[] members) : IScoreSource
{
    public int Count => members.Length;

    public ReadOnlySpan<byte> GetKey(int index) => Encoding.Latin1.GetBytes(members[index].Member);

    public double GetScore(int index) => members[index].Score;
}
