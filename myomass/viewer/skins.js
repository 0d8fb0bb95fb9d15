// Surfaces of soft bodies in viser's page: their vertices and colours follow the nodes of the coarse mesh.
//
// viser's own meshes have one colour, and a recording would hold every vertex of every picture. Here a picture sends
// the nodes (n rows) and their shares of strain (n more), as the vertices of a hidden mesh, the carrier; before three.js
// draws, W x gives the places of the surface's vertices, and W s their colours.
(skin) => {
  const numbers = (text, Type) => new Type(Uint8Array.from(atob(text), (c) => c.charCodeAt(0)).buffer);
  skin.indices = numbers(skin.indices, Uint16Array);
  skin.weights = numbers(skin.weights, Float32Array);
  const skins = (window.myomassSkins ??= new Map());
  skins.set(skin.name, skin);

  const meshOf = (viewer, name) => {
    let found;
    viewer.nodeRefFromName[name]?.traverse((thing) => (found ??= thing.isMesh ? thing : undefined));
    return found;
  };

  const blend = (skin, nodes, from, width, vertex, axis) => {
    let sum = 0;
    for (let k = vertex * skin.each; k < (vertex + 1) * skin.each; k++)
      sum += skin.weights[k] * nodes[from + width * skin.indices[k] + axis];
    return sum;
  };

  const move = (skin, geometry, nodes) => {
    const places = new Float32Array(3 * skin.count);
    for (let i = 0; i < places.length; i++) places[i] = blend(skin, nodes, 0, 3, Math.floor(i / 3), i % 3);
    geometry.attributes.position.array = places;
    geometry.attributes.position.needsUpdate = true;
    geometry.computeVertexNormals();
    geometry.computeBoundingSphere();
  };

  const paint = (skin, geometry, nodes) => {
    const last = skin.ramp.length / 3 - 1;
    const colours = new Float32Array(3 * skin.count);
    for (let v = 0; v < skin.count; v++) {
      const share = Math.min(Math.max(blend(skin, nodes, 3 * skin.nodes, 3, v, 0), 0), 1);
      for (let k = 0; k < 3; k++) colours[3 * v + k] = skin.ramp[3 * Math.round(last * share) + k];
    }
    const old = geometry.getAttribute("color");
    if (old === undefined) {
      const Attribute = geometry.attributes.position.constructor;
      geometry.setAttribute("color", new Attribute(colours, 3));
    } else {
      old.array = colours;
      old.needsUpdate = true;
    }
  };

  const update = (skin, viewer) => {
    const mesh = meshOf(viewer, skin.name);
    const nodes = meshOf(viewer, skin.carrier)?.geometry.attributes.position?.array;
    if (mesh === undefined || nodes === undefined) return;
    const painted = nodes[3 * skin.nodes] >= 0;
    if (mesh.material.vertexColors !== painted) {
      mesh.material.vertexColors = painted;
      mesh.material.needsUpdate = true;
    }
    mesh.material.depthWrite = !mesh.material.transparent;
    if (nodes === skin.seen && mesh.geometry === skin.geometry) return;
    [skin.seen, skin.geometry] = [nodes, mesh.geometry];
    if (skin.moves) move(skin, mesh.geometry, nodes);
    if (painted) paint(skin, mesh.geometry, nodes);
  };

  const begin = (tries) => {
    const viewer = window.__viserMutable;
    if (!viewer?.scene) {
      if (tries > 0) setTimeout(begin, 50, tries - 1);
      else console.error("MyoMass: this version of viser does not let soft bodies move or be coloured");
      return;
    }
    if (!viewer.scene.userData.myomassSkins) {
      viewer.scene.userData.myomassSkins = true;
      viewer.scene.onBeforeRender = () => skins.forEach((one) => update(one, viewer));
    }
    viewer.requestRender();
  };
  begin(1200);
}
