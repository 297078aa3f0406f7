new='''== waits: a waiter does not look at its keys once it stands in their queues
file: src/Cache.Server/Waits/WaitTable.cs
tests: Concurrency WaitScheduleTests
-            WaitSteps.Pass();
-            MakeReady(waiter.Database, key);
-        }
-    }
+            WaitSteps.Pass();
+        }
+    }

== waits: who serves does not look again at its end
file: src/Cache.Server/Waits/WaitTable.Serving.cs
tests: Concurrency WaitScheduleTests
-            if (isDone)
-                continue;
+            if (isDone)
+                return;

== waits: who comes later is served first
file: src/Cache.Server/Waits/WaitQueue.cs
tests: Server BlockedClientTests WaitModelTests
-        var before = _last;
-        while (before is not null && before.Waiter.Arrival > place.Waiter.Arrival)
+        var before = _last;
+        while (before is not null)

== waits: who comes takes what is there before those that wait
file: src/Cache.Server/Waits/WaitTable.cs
tests: Server BlockedClientTests
-        if (!AreThere || _filter?.MayHave(key) != true)
+        if (!AreThere || _filter is not null)

== waits: who was woken and leaves wakes nobody
file: src/Cache.Server/Waits/WaitTable.cs
tests: Concurrency WaitScheduleTests
-        if (!waiter.IsWoken || waiter.Reply is not null)
+        if (waiter is not null)

== waits: databases that are swapped wake nobody
file: src/Cache.Server/Waits/WaitTable.cs
tests: Server BlockedClientTests
-            MakeAllReady(first);
-            MakeAllReady(second);
+            _ = (first, second);

== waits: an element is given to a client that has gone
file: src/Cache.Server/Waits/WaitTable.Serving.cs
tests: Server BlockedClientTests
-        if (suspension.IsPeerGone?.Invoke() == true)
+        if (suspension.IsPeerGone is null)

== waits: an end comes between the claim and its element
file: src/Cache.Server/Clients/Suspension.cs
tests: Concurrency WaitScheduleTests
-        if (_isClaimed)
-        {
+        if (_number < 0)
+        {

== waits: the time of a wait begins behind the replies before it
file: src/Cache.Server/Clients/Suspension.cs
tests: Server SuspensionTests
-        if (_beganAt is not { } beganAt)
+        if (_beganAt is not { } beganAt || !_isClosed)

== watch: a written key is not marked
file: src/Cache.Server/Watches/WatchTable.cs
tests: Server TransactionCommandsTests
-                    watch.Touch();
-            }
-        }
-    }
-
-    public override void Drain()
+                    _ = watch;
+            }
+        }
+    }
+
+    public override void Drain()

== watch: the same key of another database is marked
file: src/Cache.Server/Watches/WatchTable.cs
tests: Server TransactionCommandsTests RecordedTransactionTests
-                if (watch.Keyspace == note.Keyspace && note.Key.SequenceEqual(watch.Key))
+                if (note.Key.SequenceEqual(watch.Key))

== watch: a neighbour of its chain marks it
file: src/Cache.Server/Watches/WatchTable.cs
tests: Server TransactionCommandsTests
-                if (watch.Keyspace == note.Keyspace && note.Key.SequenceEqual(watch.Key))
+                if (watch.Keyspace == note.Keyspace)

== watch: databases that are swapped touch nothing
file: src/Cache.Server/Watches/WatchTable.cs
tests: Server TransactionCommandsTests RecordedTransactionTests
-                watch.Touch();
-        }
-
-        lock (_gate)
+                _ = watch;
+        }
+
+        lock (_gate)

== exec: a key that expired or was evicted is as it was
file: src/Cache.Server/Commands/Transactions/ExecCommand.cs
tests: Server TransactionCommandsTests RecordedTransactionTests
-            if (watch.IsTouched || (watch.WasThere && !isThere))
+            if (watch.IsTouched || (watch.WasThere && info.Length < 0))

== exec: nobody asks what became of watched keys
file: src/Cache.Server/Commands/Transactions/ExecCommand.cs
tests: Server TransactionTortureTests
-            IsVoid = checksWatches && transaction.WatchedCount > 0 && HasChanged(transaction.Watches, context);
+            IsVoid = false;

== exec: a refused command does not abort
file: src/Cache.Server/Commands/Transactions/ExecCommand.cs
tests: Server TransactionCommandsTests RecordedTransactionTests
-        if (transaction.IsRefused)
-        {
+        if (transaction.IsRefused && transaction.Queue.Count < 0)
+        {

== exec: its commands are executed one after the other, unlocked
file: src/Cache.Server/Commands/Transactions/ExecCommand.cs
tests: Server TransactionTortureTests
-        AtomicSection.Run(keys, ref body, context);
-        if (body.IsVoid)
-            context.Reply.NullArray();
+        AtomicSection.RunUnlocked(ref body, context);
+        if (body.IsVoid)
+            context.Reply.NullArray();

== exec: rights that were taken away are not asked for
file: src/Cache.Server/Commands/Transactions/ExecCommand.cs
tests: Server TransactionCommandsTests RecordedTransactionTests
-        if (!context.Client.User.Rules.AllowsFreely(command) && TryDeny(command, request, context))
+        if (context.Client.User is null && TryDeny(command, request, context))

== exec: what was watched stays watched
file: src/Cache.Server/Commands/Dispatch/Transaction.cs
tests: Server TransactionCommandsTests RecordedTransactionTests
-        Queue.Clear();
-        Unwatch();
+        Queue.Clear();

== tracking: a client that need not hear of its own writes hears of them
file: src/Cache.Server/Tracking/KeyTracking.cs
tests: Server TrackingTests RecordedSessionTests
-            && !(tracking.Has(TrackingModes.NoLoop) && invalidation.Writer == client.Id))
+            && !(tracking.Has(TrackingModes.NoLoop) && invalidation.Writer < 0))

== tracking: an expired key is told to none but others than its writer
file: src/Cache.Server/Tracking/KeyTracking.cs
tests: Server TrackingTests
-            tracking.Keys.Take(note.Key, writer);
+            if (note.Cause is not ChangeCause.Expired)
+                tracking.Keys.Take(note.Key, writer);

== tracking: an evicted key is not told
file: src/Cache.Server/Tracking/KeyTracking.cs
tests: Server TrackingTests
-            tracking.Keys.Take(note.Key, writer);
+            if (note.Cause is not ChangeCause.Evicted)
+                tracking.Keys.Take(note.Key, writer);

== tracking: what was cleared is not told
file: src/Cache.Server/Tracking/KeyTracking.cs
tests: Server TrackingTests RecordedSessionTests
-                tracking._queue.Add(default);
-                return;
+                return;

== tracking: a client that has ended its tracking is told
file: src/Cache.Server/Tracking/KeyTracking.cs
tests: Server TrackingTests
-            client.Tracking = null;
-            _clients
+            _clients

'''
ring='''== ring: a long value that nobody was told of takes its key with it
file: src/Cache.Durability/Staging/RingReader.cs
tests: Durability SharedRingTests
-        if (isParted && holds)
+        if (isParted && holds && record.ValueLength < 0)

== ring: the policy of replies is that of the start
file: src/Cache.Durability/Journaling/Journal.Cutting.cs
tests: Durability SharedRingTests
-            _ring?.SetHolding(policy == SyncPolicy.Always);
+            _ = policy;

== ring: what was told before replies began to wait is in no file
file: src/Cache.Durability/Journaling/Journal.Cutting.cs
tests: Durability SharedRingTests
-            WriteCore(); // What was acknowledged without a file is in one.
+            _ = policy;

'''
import subprocess
p='/tmp/h/check/tests/mutation/mutants.txt'
s=open(p).read()
# check that each block's text is found once
import re
def check(blocks):
    for b in blocks.split('== ')[1:]:
        lines=b.splitlines()
        f=[l[6:] for l in lines if l.startswith('file: ')][0]
        t=open('/tmp/h/check/'+f).read()
        old='\n'.join(l[1:] for l in lines if l.startswith('-'))
        print(t.count(old), lines[0])
i=s.index("== tracking: a key is remembered behind its read")
s=s[:i]+new+s[i:]
i=s.index("== ring: a chunk that is missing is passed over")
s=s[:i]+ring+s[i:]
open(p,'w').write(s)
