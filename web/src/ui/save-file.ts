/** Downloads a file that was made in the browser. */
export function saveFile(name: string, content: Blob): void {
  const address = URL.createObjectURL(content)
  downloadFrom(address, name)
  URL.revokeObjectURL(address)
}

/** Downloads from an address, under the name that the answer gives unless there is another. */
export function downloadFrom(address: string, name = ''): void {
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
}
