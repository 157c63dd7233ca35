/**
 * A topic or group as RocketMQ knows it. Its names hold no dot, so `wecom.events` is `wecom-events` there; and with a
 * namespace `ns%wecom-events`. The namespace is put in front here and not left to the client: version 1.0.8 sends to the
 * topic within the namespace and asks for the route of the one without (measured: an open-source proxy then ignores it).
 */
export function rocketMqName(namespace: string, name: string): string {
  const plain = name.replaceAll('.', '-');
  return namespace === '' ? plain : `${namespace}%${plain}`;
}
