// Files sent over HTTP to a started program, as the console sends them.

/** `gone` ends the call when the caller goes. */
export type Upload = (
  path: string,
  fileName: string,
  content: Buffer,
  gone?: AbortSignal,
) => Promise<{ status: number; message: string }>

/** Signs in and gives a function that uploads a file and gives the answer's status and message. */
export async function uploader(
  url: string,
  { username, password }: { readonly username: string; readonly password: string },
): Promise<Upload> {
  const reply = await fetch(`${url}/api/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: url },
    body: JSON.stringify({ username, password }),
  })
  const cookie = reply.headers.getSetCookie()[0]?.split(';')[0] ?? ''
  return async (path, fileName, content, gone) => {
    const form = new FormData()
    form.append('file', new Blob([new Uint8Array(content)]), fileName)
    const answer = await fetch(`${url}${path}`, {
      method: 'POST',
      headers: { origin: url, cookie },
      body: form,
      ...(gone && { signal: gone }),
    })
    const { message = '' } = (await answer.json()) as { message?: string }
    return { status: answer.status, message }
  }
}
