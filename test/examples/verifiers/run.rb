# Prints the verdicts of examples/ruby/verify.rb on the deliveries of stdin.

require 'json'
require "#{ARGV[0]}/ruby/verify"

verdicts = JSON.parse($stdin.read).map do |each|
  Verify.genuine?(each['body'].unpack1('m'), each['header'], each['secret'], live: each['live'])
end
puts JSON.generate(verdicts)
