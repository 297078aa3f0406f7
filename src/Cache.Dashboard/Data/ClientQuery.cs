using System.Globalization;
using Microsoft.AspNetCore.Http;

namespace Cache.Dashboard.Data;

/// <summary>A page of the list of clients.</summary>
internal sealed record ClientQuery
{
    private const int CountDefault = 50;
    private const int SearchLengthMax = 128;

    /// <summary>The column; an unknown one is the number of the client.</summary>
    public string Sort { get; private init; } = "id";

    public bool IsDescending { get; private init; }

    public string Search { get; private init; } = "";

    public int Offset { get; private init; }

    public int Count { get; private init; } = CountDefault;

    public static ClientQuery Of(IQueryCollection query)
    {
        string search = query["search"].ToString().Trim();
        return new ClientQuery
        {
            Sort = query["sort"].ToString(),
            IsDescending = query["descending"] == "1",
            Search = search[..Math.Min(search.Length, SearchLengthMax)],
            Offset = Number(query["offset"], 0, int.MaxValue / 2),
            Count = Math.Max(1, Number(query["count"], CountDefault, ClientData.PageMax)),
        };
    }

    private static int Number(string? text, int otherwise, int most) =>
        int.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out int number)
            ? Math.Min(number, most)
            : otherwise;
}
