/** Test values of the sandbox, for the reference and docs/first-payment.md. */
export const testValues: ReadonlyArray<readonly [value: string, what: string]> = [
  ["Card `4000000000000002`", "declined"],
  ["Card `4000000000003220`", "redirect to hosted checkout"],
  ["Card `4000000000000119`", "never answers, look-ups neither"],
  ["Phone or bank account ending `0001`", "declined"],
  ["Phone ending `0002`", "asks for a one-time password (`123456`)"],
  ["Phone or bank account ending `0003`", "never answers"],
  ["Phone or bank account ending `0004`", "accepted, fails later"],
  ["Phone ending `0005`", "pay by link"],
  ["Phone or bank account ending `0006`", "accepted, but the answer is lost; the callback comes"],
  ["Phone or bank account ending `0007`", "answers slowly, then succeeds"],
  ["Phone or bank account ending `0008`", "succeeds, with duplicate callbacks"],
  ["Phone or bank account ending `0009`", "succeeds, with callbacks out of order"],
  ["Anything else", "accepted, completes about a second later"]
]
