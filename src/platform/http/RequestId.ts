/** Names a request in its answer and its log lines: by the caller's own token if that is safe to print, else afresh. */
const SANE_TOKEN = /^[A-Za-z0-9._-]{1,128}$/

export const requestId = (header: string | undefined, fresh: () => string): string =>
  header !== undefined && SANE_TOKEN.test(header) ? header : fresh()
