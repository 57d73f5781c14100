/** When a request is sent once more by itself: where the service asks for a moment, and nothing can be done twice. */

const LONGEST_WAIT = 5

/** Sent again, it does nothing that it had not done: with a key the service sees to that. */
const isRepeatable = (method: string, keyed: boolean): boolean => keyed || (method !== "POST" && method !== "PATCH")

/** In seconds. A request that there were too many of has done nothing; of one that is put off nobody may know. */
export const waitBeforeAgain = (
  { headers, status }: Pick<Response, "headers" | "status">,
  method: string,
  keyed: boolean
): number | undefined => {
  if (status !== 429 && !(status === 503 && isRepeatable(method, keyed))) return undefined
  const seconds = Number(headers.get("retry-after") ?? Number.NaN)
  return seconds <= LONGEST_WAIT ? seconds : undefined
}
