using System.Globalization;
using System.Net;
using System.Net.Sockets;
using System.Text;

namespace Cache.Server.Tests.Commands.Migration;

/// <summary>A server that takes one connection, keeps what it is asked, and says what the test wants.</summary>
internal sealed class FakeTarget : IDisposable
{
    private readonly TcpListener _listener = new(IPAddress.Loopback, 0);
    private readonly Func<string[], string?> _answer;
    private readonly List<string[]> _requests = [];
    private readonly Thread _thread;

    /// <param name="answer">What is said to a request, on a thread of its own; null: nothing, it closes.</param>
    public FakeTarget(Func<string[], string?> answer)
    {
        _answer = answer;
        _listener.Start();
        _thread = new Thread(Serve) { IsBackground = true };
        _thread.Start();
    }

    public string Port => ((IPEndPoint)_listener.LocalEndpoint).Port.ToString(CultureInfo.InvariantCulture);

    /// <summary>The requests but SELECT; once the connection has ended.</summary>
    public string[][] Requests
    {
        get
        {
            Assert.True(_thread.Join(TimeSpan.FromSeconds(60)));
            return [.. _requests];
        }
    }

    public void Dispose() => _listener.Dispose();

    private void Serve()
    {
        try
        {
            using var client = _listener.AcceptTcpClient();
            using var stream = new BufferedStream(client.GetStream());
            while (ReadRequest(stream) is { } request)
            {
                string? answer = "+OK";
                if (request[0] != "SELECT")
                {
                    _requests.Add(request);
                    answer = _answer(request);
                }

                if (answer is null)
                    return;
                client.GetStream().Write(Encoding.Latin1.GetBytes(answer + "\r\n"));
            }
        }
        catch (Exception end) when (end is IOException or SocketException)
        {
            // The client is gone, or the test has ended.
        }
    }

    private static string[]? ReadRequest(Stream stream)
    {
        if (ReadLine(stream) is not { } count)
            return null;
        string[] words = new string[int.Parse(count[1..], CultureInfo.InvariantCulture)];
        for (int i = 0; i < words.Length; i++)
        {
            byte[] word = new byte[int.Parse(ReadLine(stream)![1..], CultureInfo.InvariantCulture)];
            stream.ReadExactly(word);
            words[i] = Encoding.Latin1.GetString(word);
            ReadLine(stream);
        }

        return words;
    }

    private static string? ReadLine(Stream stream)
    {
        var line = new StringBuilder();
        for (int read; (read = stream.ReadByte()) != '\n'; line.Append((char)read))
        {
            if (read < 0)
                return null;
        }

        return line.ToString().TrimEnd('\r');
    }
}
