using Cache.Core;
using Cache.Durability;
using Cache.Server;
using Cache.Server.Tests.Transport;
using Cache.Testing;
using Microsoft.Extensions.DependencyInjection;

namespace Cache.Scripting.Tests;

/// <summary>Functions beside the files of a store: they outlive the process, however it ends.</summary>
public sealed class KeptFunctionTests : IDisposable
{
    private const string Functions = "FUNCTIONS";
    private const string Lock = "cache.lock";
    private const string Found = "$5\r\nfound\r\n";

    private readonly TemporaryFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Theory]
    [InlineData(DurabilityMode.Journal)]
    [InlineData(DurabilityMode.Snapshot)]
    [InlineData(DurabilityMode.Restart)]
    public async Task Start_AfterCleanStop_HasTheFunctions(DurabilityMode mode)
    {
        await using (var before = await StartAsync("a", mode))
        {
            await LoadAsync(before.Client, "one");
            await LoadAsync(before.Client, "two");
            await ExpectAsync("+OK\r\n", before.Client, "FUNCTION", "DELETE", "one");
        }

        await using var after = await StartAsync("a", mode);
        await ExpectAsync(Found, after.Client, "FCALL", "two", "0");
        await ExpectAsync("-ERR Function not found\r\n", after.Client, "FCALL", "one", "0");
    }

    // The files as they are when a command is answered: those of a process that is killed then.
    [Fact]
    public async Task Start_AfterKill_HasTheFunctionsOfTheLastAnswer()
    {
        await using var before = await StartAsync("a", DurabilityMode.Journal);
        await LoadAsync(before.Client, "one");
        CopyTo("loaded");
        await ExpectAsync("+OK\r\n", before.Client, "FUNCTION", "FLUSH");
        CopyTo("flushed");
        string payload = await DumpOfAsync("loaded");
        await ExpectAsync("+OK\r\n", before.Client, "FUNCTION", "RESTORE", payload);
        CopyTo("restored");

        await ExpectAtAsync("loaded", Found);
        await ExpectAtAsync("flushed", "-ERR Function not found\r\n");
        await ExpectAtAsync("restored", Found);
    }

    [Fact]
    public async Task Start_KilledWhileItWrote_HasTheFunctionsBefore()
    {
        await using (var before = await StartAsync("a", DurabilityMode.Journal))
            await LoadAsync(before.Client, "one");
        File.WriteAllText(_folder.PathOf("a/" + Functions + ".tmp"), "half");

        await using var after = await StartAsync("a", DurabilityMode.Journal);
        await ExpectAsync(Found, after.Client, "FCALL", "one", "0");
        await LoadAsync(after.Client, "two");
    }

    [Fact]
    public async Task Start_DamagedFunctions_NamesTheFile()
    {
        await using (var before = await StartAsync("a", DurabilityMode.Journal))
            await LoadAsync(before.Client, "one");
        string file = _folder.PathOf("a/" + Functions);
        byte[] bytes = File.ReadAllBytes(file);
        bytes[5] ^= 1;
        File.WriteAllBytes(file, bytes);

        var failure = await Assert.ThrowsAsync<IOException>(() => StartAsync("a", DurabilityMode.Journal));
        Assert.Contains(Functions, failure.Message);
        Assert.Equal(bytes, File.ReadAllBytes(file));
        File.Delete(file);
        await using var after = await StartAsync("a", DurabilityMode.Journal);
        await ExpectAsync("*0\r\n", after.Client, "FUNCTION", "LIST");
    }

    [Fact]
    public async Task Load_FileThatCannotBeWritten_ChangesNothing()
    {
        await using var server = await StartAsync("a", DurabilityMode.Journal);
        await LoadAsync(server.Client, "one");
        Directory.CreateDirectory(_folder.PathOf("a/" + Functions + ".tmp")); // In the way of the new file.

        Assert.StartsWith(
            "-ERR the functions cannot be written",
            await ScriptServer.CallAsync(server.Client, "FUNCTION", "LOAD", CodeOf("two")));
        Assert.StartsWith(
            "-ERR the functions cannot be written", await ScriptServer.CallAsync(server.Client, "FUNCTION", "FLUSH"));
        await ExpectAsync("-ERR Function not found\r\n", server.Client, "FCALL", "two", "0");
        await ExpectAsync(Found, server.Client, "FCALL", "one", "0");
    }

    // It keeps no files until SAVE makes some.
    [Fact]
    public async Task Save_FirstFilesOfAServer_HaveItsFunctions()
    {
        await using (var before = await StartAsync("a", DurabilityMode.Snapshot, isLazy: true))
        {
            await LoadAsync(before.Client, "one");
            await ExpectAsync("+OK\r\n", before.Client, "SAVE");
        }

        await using var after = await StartAsync("a", DurabilityMode.Snapshot, isLazy: true);
        await ExpectAsync(Found, after.Client, "FCALL", "one", "0");
    }

    [Fact]
    public async Task Start_WithoutInterpreter_LeavesTheFile()
    {
        await using (var before = await StartAsync("a", DurabilityMode.Journal))
            await LoadAsync(before.Client, "one");
        await using (var other = await StartAsync("a", DurabilityMode.Journal, runsScripts: false))
            await ExpectAsync("+OK\r\n", other.Client, "SET", "a", "1");

        await using var after = await StartAsync("a", DurabilityMode.Journal);
        await ExpectAsync(Found, after.Client, "FCALL", "one", "0");
    }

    private async Task ExpectAtAsync(string folder, string reply)
    {
        await using var server = await StartAsync(folder, DurabilityMode.Journal);
        await ExpectAsync(reply, server.Client, "FCALL", "one", "0");
    }

    private async Task<string> DumpOfAsync(string folder)
    {
        CopyTo(folder + "-read", folder);
        await using var server = await StartAsync(folder + "-read", DurabilityMode.Journal);
        string dump = await ScriptServer.CallAsync(server.Client, "FUNCTION", "DUMP");
        return dump[(dump.IndexOf('\n', StringComparison.Ordinal) + 1)..^2];
    }

    private void CopyTo(string folder, string from = "a")
    {
        Directory.CreateDirectory(_folder.PathOf(folder));
        foreach (string file in Directory.EnumerateFiles(_folder.PathOf(from)).Where(IsCopied))
            File.Copy(file, Path.Combine(_folder.PathOf(folder), Path.GetFileName(file)));
    }

    // A lock cannot be copied while it is held.
    private static bool IsCopied(string file) => Path.GetFileName(file) != Lock;

    private static string CodeOf(string name) =>
        $"#!lua name={name}\nredis.register_function('{name}', function() return 'found' end)";

    private static Task LoadAsync(InMemoryClient client, string name) =>
        ExpectAsync($"${name.Length}\r\n{name}\r\n", client, "FUNCTION", "LOAD", CodeOf(name));

    private static async Task ExpectAsync(string reply, InMemoryClient client, params string[] words) =>
        Assert.Equal(reply, await ScriptServer.CallAsync(client, words));

    private Task<KeptServer> StartAsync(
        string folder, DurabilityMode mode, bool isLazy = false, bool runsScripts = true) =>
        KeptServer.StartAsync(_folder.PathOf(folder), mode, isLazy, runsScripts);

    private sealed class KeptServer : IAsyncDisposable
    {
        private readonly CacheStore _store = new(new CacheOptions { MemoryLimitBytes = 64 << 20 });
        private readonly CacheDurability _durability;
        private InMemoryServer? _server;

        private KeptServer(string folder, DurabilityMode mode, bool isLazy)
        {
            _durability = new CacheDurability(_store, new DurabilityOptions
            {
                Directory = folder,
                Mode = mode,
                SavePoints = isLazy ? [] : null,
            });
        }

        public InMemoryClient Client { get; private set; } = null!;

        public static async Task<KeptServer> StartAsync(
            string folder, DurabilityMode mode, bool isLazy, bool runsScripts)
        {
            var kept = new KeptServer(folder, mode, isLazy);
            try
            {
                var options = new RespServerOptions { Durability = kept._durability };
                kept._server = await InMemoryServer.StartAsync(
                    kept._store, runsScripts ? options.UseScripting() : options);
                kept.Client = kept._server.Connect();
                return kept;
            }
            catch
            {
                await kept.DisposeAsync();
                throw;
            }
        }

        public async ValueTask DisposeAsync()
        {
            if (_server is not null)
                await _server.DisposeAsync();
            await _durability.DisposeAsync();
            _store.Dispose();
        }
    }
}
