/** The JSON that was sent to a fake; nothing where it is none. */
import type { FakeRequest } from "./Fake.ts"

export const jsonBody = ({ body }: Pick<FakeRequest, "body">): unknown => {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}
