# Verifies webhook deliveries with Ruby's standard library.

require 'openssl'

module Verify
  TOLERANCE_SECONDS = 300

  # body: the exact bytes, before anything parsed them.
  # header: the value of Payrex-Signature.
  # secret: the whole secret, with its prefix whsk_.
  # live: true in live mode, whose signature is in `li`; that of test mode is in `te`.
  def self.genuine?(body, header, secret, live: false)
    parts = header.to_s.b.split(',').to_h { |part| part.strip.partition('=').values_at(0, 2) }
    t = parts.fetch('t', '')
    return false unless t.match?(/\A\d{1,10}\z/) && (Time.now.to_i - t.to_i).abs <= TOLERANCE_SECONDS

    expected = OpenSSL::HMAC.hexdigest('SHA256', secret, "#{t}.".b + body.b)
    OpenSSL.secure_compare(expected, parts.fetch(live ? 'li' : 'te', ''))
  end
end
