using System.Text;

namespace Cache.Core.Tests.Compression;

/// <summary>Blocks that the tool lz4 1.9.4 wrote (-9 -BI, two of them with -D), and what they hold.</summary>
internal static class RecordedLz4
{
    private const string Dictionary =
        """
        {"id":653159,"name":"paper often","email":"between67@example.com","active":true}
        {"id":30414,"name":"seven river"
        ,"email":"between6@example.com","active":true}{"id":944662,"name":"stone basket","email":"often60@example.com",
        "active":true}
        {"id":910631,"name":"river under","email":"green13@example.com","active":true}
        """;

    public static IEnumerable<(byte[] Block, byte[] Prefix, byte[] Value)> Blocks =>
    [
        Recorded("1f610100ff14506161616161", "", new string('a', 300)),
        Recorded(
            "3f616263030080a07461696c2d6f662d6974", "",
            string.Concat(Enumerable.Repeat("abc", 50)) + "tail-of-it"),
        Recorded(
            "f4197b226964223a3630313832302c226e616d65223a227269766572206f72646572222c22656d61696c1600f20f353240657861"
            + "6d706c652e636f6d222c22616374697665223a747275657d4e00653239333035384e008a73746f6e6520756e4e000116002f39"
            + "374e000f653833353836394e00716261736b6574203f00074f008f6d6f74686572373950000450747275657d",
            "",
            """
            {"id":601820,"name":"river order","email":"river52@example.com","active":true}
            {"id":293058,"name":"stone under",
            "email":"stone97@example.com","active":true}
            {"id":835869,"name":"basket stone","email":"mother79@example.com",
            "active":true}
            """),
        Recorded(
            "024e006b3436363434349d00010600089c004f726465729b000550747275657d",
            Dictionary,
            """{"id":466444,"name":"stone stone","email":"order0@example.com","active":true}"""),
        Recorded(
            "024e006b3231393633304e0001a300074e000110001f333901115b32383838374e00018c000e89011f38ec000550747275657d",
            Dictionary,
            """
            {"id":219630,"name":"river stone","email":"stone37@example.com","active":true}
            {"id":328887,"name":"river green","email":"between80@example.com","active":true}
            """),
    ];

    private static (byte[] Block, byte[] Prefix, byte[] Value) Recorded(string block, string prefix, string value) =>
        (Convert.FromHexString(block), BytesOf(prefix), BytesOf(value));

    // The line breaks are those of this file.
    private static byte[] BytesOf(string text) => Encoding.ASCII.GetBytes(text.ReplaceLineEndings(""));
}
