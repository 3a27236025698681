package shop

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"
	"time"
)

const toleranceSeconds = 300

// IsGenuine verifies a webhook delivery with Go's standard library.
// The body is the exact bytes, before anything parsed them; the header is the value of Payrex-Signature.
// The secret is whole, with its prefix whsk_. The signature of live mode is in `li`, that of test mode in `te`.
func IsGenuine(body []byte, header, secret string, live bool) bool {
	parts := map[string]string{}
	for _, part := range strings.Split(header, ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(part), "=")
		parts[name] = value
	}
	slot := "te"
	if live {
		slot = "li"
	}
	t, err := strconv.ParseUint(parts["t"], 10, 63)
	age := time.Now().Unix() - int64(t)
	if err != nil || age < -toleranceSeconds || age > toleranceSeconds {
		return false
	}
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(parts["t"] + "."))
	mac.Write(body)
	return hmac.Equal([]byte(hex.EncodeToString(mac.Sum(nil))), []byte(parts[slot]))
}
