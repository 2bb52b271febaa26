// facts: noimages
// a device without images
kernel void k(read_only image2d_t i, global float4 *out){
    *out = read_imagef(i,(int2)(0)); // error: images, which this device does not have
}
