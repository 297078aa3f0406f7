# Sidekiq's own client, and its worker as a process of its own: jobs, several queues, retries, what is scheduled or dead.
# usage: ruby sidekiq.rb PORT
ENV["SIDEKIQ_URL"] = "redis://127.0.0.1:#{Integer(ARGV[0])}/9"
require "logger"
require "rbconfig"
require "tempfile"
require_relative "jobs"
require "sidekiq/api"

# The longest that anything may take until it is seen.
PATIENCE = 30

$passed = 0
$failed = 0

def check(name)
  yield
  $passed += 1
rescue StandardError => error
  $failed += 1
  puts "FAILED #{name}: #{error.message}", error.backtrace.first(3)
end

def equal(expected, actual)
  raise "expected #{expected.inspect}, was #{actual.inspect}" unless expected == actual
end

# Until the block's value is what is expected.
def becomes(expected)
  deadline = Process.clock_gettime(Process::CLOCK_MONOTONIC) + PATIENCE
  sleep 0.02 until (actual = yield) == expected || Process.clock_gettime(Process::CLOCK_MONOTONIC) > deadline
  equal expected, actual
end

def redis(&body) = Sidekiq.redis(&body)
def trace(list) = redis { |client| client.lrange("trace:#{list}", 0, -1) }
def runs(name) = redis { |client| client.get("runs:#{name}") }.to_i

# Starts a worker of the queues, and returns its process.
def start_worker(*queues)
  jobs = File.expand_path("jobs.rb", __dir__)
  # Its threads look every two seconds whether it stops; one that still fetches would take what is put back.
  options = ["-r", jobs, "-c", "5", "-t", "3", "-e", "production"]
  queues.each { |queue| options.push("-q", queue) }
  spawn(RbConfig.ruby, "-S", "sidekiq", *options, out: $log.path, err: $log.path)
end

def stop(worker)
  Process.kill("TERM", worker)
  Process.wait(worker)
end

Sidekiq.logger.level = Logger::WARN
$log = Tempfile.new("sidekiq")
redis(&:flushdb)

check("the client: one, many, and what is in a queue") do
  jid = Trace.perform_async("client", 1)
  equal 3, Trace.perform_bulk([["client", 2], ["client", 3], ["client", "ü"]]).size
  Urgent.perform_async("client", "first")
  equal({ "default" => 4, "urgent" => 1 }, Sidekiq::Stats.new.queues)
  queue = Sidekiq::Queue.new
  equal [[["client", "ü"], ["client", 3]], ["client", 1]], [queue.first(2).map(&:args), queue.find_job(jid).args]
  queue.find_job(jid).delete
  equal 3, queue.size
end

check("what is scheduled: found, moved, deleted") do
  at = Time.now + 3600
  jids = [Trace.perform_at(at, "later", 1), Trace.perform_in(7200, "later", 2), Trace.perform_in(9000, "later", 3)]
  set = Sidekiq::ScheduledSet.new
  equal [3, jids.reverse], [set.size, set.map(&:jid)]
  equal at.to_i, set.find_job(jids[0]).at.to_i
  set.find_job(jids[1]).delete
  equal [jids[2]], set.scan("*#{jids[2]}*").map(&:jid)
  set.find_job(jids[2]).reschedule(Time.now - 5)
  equal [jids[0], jids[2]], set.map(&:jid)
end

worker = start_worker("urgent", "default")

check("the worker: the jobs of both queues") do
  becomes(%w[2 3 first ü]) { trace("client").sort }
end

check("what is due is done, and what is not due stays") do
  becomes(["3"]) { trace("later") }
  equal 1, Sidekiq::ScheduledSet.new.size
  now = Time.now.to_f
  # Many at the same moment, in the past and soon.
  20.times { |n| Trace.perform_at(now + (n.even? ? 0.3 : 0), "soon", n) }
  becomes((0...20).map(&:to_s).sort) { trace("soon").sort }
  equal 1, Sidekiq::ScheduledSet.new.size
end

check("what fails is tried again") do
  Failing.perform_async("again", 1)
  becomes(1) { Sidekiq::RetrySet.new.size }
  job = Sidekiq::RetrySet.new.first
  equal ["failed on purpose, run 1", 0], [job["error_message"], job["retry_count"]]
  job.reschedule(Time.now)
  becomes([2, 0]) { [runs("again"), Sidekiq::RetrySet.new.size] }
end

check("what always fails is dead, and can be called back") do
  Failing.perform_async("always", 3)
  2.times do |n|
    becomes([n + 1, 1]) { [runs("always"), Sidekiq::RetrySet.new.size] }
    Sidekiq::RetrySet.new.each { |job| job.reschedule(Time.now) }
  end
  becomes([3, 1]) { [runs("always"), Sidekiq::DeadSet.new.size] }
  equal 0, Sidekiq::RetrySet.new.size
  Sidekiq::DeadSet.new.first.retry
  becomes([4, 0]) { [runs("always"), Sidekiq::DeadSet.new.size] }
end

check("a thousand jobs, each done once") do
  Trace.perform_bulk((0...1000).map { |n| ["many", n] })
  becomes((0...1000).to_a) { trace("many").map(&:to_i).sort }
end

check("the server forgets its scripts, and is told them again") do
  redis { |client| client.script(:flush) }
  Trace.perform_at(Time.now.to_f - 1, "forgotten", 1)
  Trace.perform_in(0.2, "forgotten", 2)
  becomes(["1", "2"]) { trace("forgotten").sort }
end

check("the worker tells who it is") do
  becomes([worker]) { Sidekiq::ProcessSet.new.map { |process| process["pid"] } }
  equal %w[default urgent], Sidekiq::ProcessSet.new.first["queues"].sort
end

check("what a worker has not done when it stops is put back") do
  Long.perform_async("long")
  becomes(1) { runs("long") }
  stop(worker)
  worker = nil
  equal [["long"]], Sidekiq::Queue.new.map(&:args)
  stats = Sidekiq::Stats.new
  equal [true, 1], [stats.processed >= 1020, stats.enqueued]
  # The job that was put back may be counted as one that failed.
  equal true, [4, 5].include?(stats.failed)
end

stop(worker) if worker
puts File.read($log.path) if $failed.positive?
redis(&:flushdb)
puts "#{$passed} passed, #{$failed} failed"
exit($failed.zero? && $passed.positive?)
