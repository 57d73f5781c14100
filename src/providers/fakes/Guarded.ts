/** Whom a fake answers: its own account; everybody else is refused. */
import type { FakeReply, FakeRequest, FakeRoute } from "./Fake.ts"

export const guardedBy =
  (isLetIn: (request: FakeRequest) => boolean, refusal: FakeReply) =>
  (answer: FakeRoute["answer"]): FakeRoute["answer"] =>
  (request, fate) =>
    isLetIn(request) ? answer(request, fate) : refusal

export const hasBearer =
  (token: string) =>
  ({ headers }: FakeRequest): boolean =>
    headers["authorization"] === `Bearer ${token}`
