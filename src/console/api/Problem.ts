/** A request that did not go through, in words for whoever sits before the page. */
export class Problem extends Error {
  /** 0: there was no answer. */
  readonly status: number
  readonly body: Readonly<Record<string, unknown>>

  constructor(status: number, message: string, body: Readonly<Record<string, unknown>> = {}) {
    super(message)
    this.status = status
    this.body = body
  }
}

const titles: Readonly<Record<number, string>> = {
  0: "The service cannot be reached",
  401: "This does not sign you in",
  403: "Your role does not allow this",
  404: "Not found",
  409: "Not possible as things stand",
  422: "No provider serves this",
  429: "Too many requests",
  502: "Every provider declined",
  503: "The service is busy"
}

export const titleOf = ({ status }: Problem): string =>
  titles[status] ?? (status >= 500 ? "Something went wrong" : "This cannot be done")
