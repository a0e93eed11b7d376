import { expect, test } from 'vitest'
import { certificateEnd } from './certificate-end.ts'

// Signed by each other, each for ten years longer than the one that signed it.
const root = `-----BEGIN CERTIFICATE-----
MIIBczCCARmgAwIBAgIUdssa3272hIK2Yw/u1/Ci9NGRS+AwCgYIKoZIzj0EAwIw
DzENMAsGA1UEAwwEcm9vdDAeFw0yNjExMzAxNTE1NDFaFw0zNjExMjcxNTE1NDFa
MA8xDTALBgNVBAMMBHJvb3QwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAARVK17D
8tKIbFuDBOjQs9N/aSvf/RYI+MSOd/unU9mHNzKRhq7AerKYARHtli6Ya7bewTh/
Oqv4zVDkymMfhT/Ao1MwUTAdBgNVHQ4EFgQUXT/VnFLD+ZdBC47p3zASpjw1/wcw
HwYDVR0jBBgwFoAUXT/VnFLD+ZdBC47p3zASpjw1/wcwDwYDVR0TAQH/BAUwAwEB
/zAKBggqhkjOPQQDAgNIADBFAiAfMbGCCddqDuPf5Iv656tY3aHbQSEkLlINc/fZ
w+8t/wIhAMl2g5W3VrpmwZRFtChGMGS61heGfJT769W0sh1vn42E
-----END CERTIFICATE-----
`
const intermediate = `-----BEGIN CERTIFICATE-----
MIIBHzCBxwIUb8UBakRTujhs61vTgdOQ1am7mvIwCgYIKoZIzj0EAwIwDzENMAsG
A1UEAwwEcm9vdDAeFw0yNjExMzAxNTE1NDFaFw00NjExMjUxNTE1NDFaMBcxFTAT
BgNVBAMMDGludGVybWVkaWF0ZTBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABBjl
kTGH9vgDhoRu9KMpkCw3J8qTeABieSmQyGBxpltCJCmGhAKiG9hQhAuZZ0qn/zaZ
A9RoVSzSD8yiWoN0BE0wCgYIKoZIzj0EAwIDRwAwRAIgCOXaZPqo+qvkQaSZX/CS
mBW0q3LD9Bg1EcQojNTXorYCIHWWr3VWSbveX8IEg2qGbF7+Y9pFu0j0gfFukMnR
nZWF
-----END CERTIFICATE-----
`
const leaf = `-----BEGIN CERTIFICATE-----
MIIBIjCByQIUVK7VaM7SEc9eiGyxWSiJ0BDG2cAwCgYIKoZIzj0EAwIwFzEVMBMG
A1UEAwwMaW50ZXJtZWRpYXRlMCAXDTI2MTEzMDE1MTU0MloYDzIwNTYxMTIyMTUx
NTQyWjAPMQ0wCwYDVQQDDARnYXRlMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE
xL7TvTgj7tL3mi8TQzC0zrHk234imuaozOLw1qj3frzm3CmakN/+r7JPpGKGJ+PN
Qp1klzij6+fFJ3pkQqcKBjAKBggqhkjOPQQDAgNIADBFAiBYbb+kBRw0D0E9vpTI
2/5x5eyH5cM6NqvmxHlbSfd49gIhAPaqH91o10Umu7gNqtTspi/uPmHEgl/Rj0X6
d3WS8Wuf
-----END CERTIFICATE-----
`

test.each([
  ['the certificate alone', leaf, 2056],
  ['an intermediate that ends sooner', leaf + intermediate, 2046],
  ['a root, which peers have themselves', leaf + intermediate + root, 2046],
  ['a self-signed one', root, 2036],
  ['text around them', `subject=CN = gate\n${leaf}issuer=CN = root\n${intermediate}`, 2046],
])('%s', (_, pem, year) => {
  expect(certificateEnd(pem).getUTCFullYear()).toBe(year)
})

test('a text without a certificate is none', () => {
  expect(() => certificateEnd('nothing')).toThrow('no certificate')
})
