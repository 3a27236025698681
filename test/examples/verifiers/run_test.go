package shop

import (
	"encoding/json"
	"fmt"
	"os"
	"testing"
)

// TestVerdicts prints the verdicts of examples/go/verify.go on the deliveries of stdin.
func TestVerdicts(*testing.T) {
	var deliveries []struct {
		Body           []byte
		Header, Secret string
		Live           bool
	}
	if err := json.NewDecoder(os.Stdin).Decode(&deliveries); err != nil {
		panic(err)
	}
	verdicts := []bool{}
	for _, each := range deliveries {
		verdicts = append(verdicts, IsGenuine(each.Body, each.Header, each.Secret, each.Live))
	}
	text, _ := json.Marshal(verdicts)
	fmt.Println(string(text))
}
