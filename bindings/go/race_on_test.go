// SPDX-License-Identifier: MIT

//go:build race

package plait

const raceEnabled = true
